"""``stoker serve --cloud``: one account of a cloud that others run, which is another's devcloud."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import openstack
import pytest
import yaml

from tests.app.serving import SECONDS, Serving, created
from tests.e2e.rest import Answer, Rest

NET = """
heat_template_version: 2018-08-31
resources:
  net:
    type: OS::Neutron::Net
    properties: {name: made-as-the-account}
"""


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Return the installation whose embedded cloud is the one that others run."""
    with closing(Serving(tmp_path_factory.mktemp("cloud") / "state")) as serving:
        yield serving


@pytest.fixture(scope="module")
def account_file(cloud: Serving, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the person's own clouds.yaml."""
    path = tmp_path_factory.mktemp("person") / "clouds.yaml"
    path.write_bytes((cloud.state / "clouds.yaml").read_bytes())
    return path


@pytest.fixture(scope="module")
def serving(account_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with closing(_serving(tmp_path_factory.mktemp("account") / "state", account_file)) as found:
        yield found
        assert found.stop() == 0


def _serving(state: Path, account_file: Path) -> Serving:
    named = {"OS_CLIENT_CONFIG_FILE": str(account_file)}
    return Serving(state, "--cloud", "demo", environment=named)


@pytest.fixture(scope="module")
def rest(serving: Serving) -> Rest:
    return Rest(serving.state / "clouds.yaml", "demo")


def _own(cloud: Serving) -> Rest:
    """Return the cloud's own orchestration, for its tokens."""
    return Rest(cloud.state / "clouds.yaml", "demo")


def test_a_stack_is_made_as_the_account_and_taken_away(rest: Rest, cloud: Serving) -> None:
    stack = rest.create("as-account", NET)
    stack.wait("CREATE_COMPLETE")
    net = stack.physical_ids()["net"]
    found = _neutron(cloud, _own(cloud).token, net)
    assert found["project_id"] == rest.project
    stack.deleted()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _neutron(cloud, _own(cloud).token, net)


BY_NAME = """
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: made-anew}
"""


@contextmanager
def _network(conn: Any) -> Iterator[str]:
    network = conn.network.create_network(name="made-anew")
    conn.network.create_subnet(network_id=network.id, cidr="10.88.0.0/24", ip_version=4)
    yield network.id
    conn.network.delete_network(network)


@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning")
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning")
def test_what_was_made_anew_under_its_old_name_is_found(rest: Rest, account_file: Path) -> None:
    loader = openstack.config.OpenStackConfig(config_files=[str(account_file)])
    conn = openstack.connection.Connection(config=loader.get_one("demo"))
    for turn in range(2):
        with _network(conn) as network:
            stack = rest.create(f"by-name-{turn}", BY_NAME)
            stack.wait("CREATE_COMPLETE")
            port = conn.network.get_port(stack.physical_ids()["port"])
            assert port.network_id == network
            stack.deleted()


def test_the_cloudformation_api_is_open_to_the_account_s_token_and_to_keys_where_keystone_says(
    rest: Rest, serving: Serving, cloud: Serving
) -> None:
    url = f"http://127.0.0.1:{serving.ports['cfn']}/v1?Action=ListStacks"
    token = {"X-Auth-Token": _own(cloud).token}
    assert b"<ListStacksResult>" in _fetched(url, token)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        _fetched(url, {"X-Auth-Token": "nonsense", "X-Identity-Status": "Confirmed"})
    # This Keystone tells an account nothing of others' signatures.
    with pytest.raises(urllib.error.HTTPError, match="403") as caught:
        _fetched(f"{url}&AWSAccessKeyId=k&SignatureVersion=2&Signature=s", {})
    told = caught.value.read()
    assert b"AccessDenied" in told
    assert b"X-Auth-Token" in told


def _fetched(url: str, headers: dict[str, str]) -> bytes:
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - our own
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=SECONDS) as answer:
        return bytes(answer.read())


def _neutron(cloud: Serving, token: str, id: str) -> Any:
    port = cloud.ports["devcloud"]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/networking/v2.0/networks/{id}")
    request.add_header("X-Auth-Token", token)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=SECONDS) as answer:
        return json.loads(answer.read())["network"]


def _asked(rest: Rest, token: str, project: str | None = None) -> Answer:
    url = rest.url.removesuffix(rest.project) + (project or rest.project)
    headers = {"X-Auth-Token": token, "X-Identity-Status": "Confirmed", "X-Roles": "admin"}
    return rest.call("GET", f"{url}/stacks", headers=headers)


def test_the_account_s_own_token_opens_the_door_wherever_it_was_given(
    rest: Rest, cloud: Serving
) -> None:
    assert _asked(rest, _own(cloud).token).status == 200


@pytest.mark.parametrize("token", ["", "nonsense", "gAAAAAB"])
def test_a_token_that_is_no_good_is_refused_whatever_else_is_claimed(
    rest: Rest, token: str
) -> None:
    answer = _asked(rest, token)
    assert answer.status == 401
    assert "valid token" in answer.message
    assert "/identity/v3" in dict(answer.headers)["WWW-Authenticate"]


def test_a_revoked_token_is_refused_once_it_is_asked_about_again(
    rest: Rest, cloud: Serving, account_file: Path
) -> None:
    token = _own(cloud).token
    url = f"http://127.0.0.1:{cloud.ports['devcloud']}/identity/v3/auth/tokens"
    headers = {"X-Auth-Token": token, "X-Subject-Token": token}
    assert rest.call("DELETE", url, headers=headers).status == 204
    assert _asked(rest, token).status == 401


def test_another_user_s_token_is_refused_with_whom_to_log_in_as(rest: Rest, cloud: Serving) -> None:
    admin = Rest(cloud.state / "clouds.yaml", "admin")
    for project in (rest.project, admin.project):
        answer = _asked(rest, admin.token, project)
        assert answer.status == 403
        assert "works as user demo in project demo" in answer.message


def test_a_token_that_may_do_less_than_the_account_is_refused(rest: Rest, cloud: Serving) -> None:
    token = _application_credential_token(cloud, roles=["reader"])
    answer = _asked(rest, token)
    assert answer.status == 403
    assert "may do less than the account" in answer.message


def _application_credential_token(cloud: Serving, roles: list[str]) -> str:
    own = _own(cloud)
    keystone = f"http://127.0.0.1:{cloud.ports['devcloud']}/identity/v3"
    me = own.call("GET", f"{keystone}/auth/tokens", headers={"X-Subject-Token": own.token}).json[
        "token"
    ]["user"]["id"]
    wanted = {"name": "less", "roles": [{"name": name} for name in roles]}
    made = own.call(
        "POST",
        f"{keystone}/users/{me}/application_credentials",
        {"application_credential": wanted},
    ).json["application_credential"]
    credential = {"id": made["id"], "secret": made["secret"]}
    identity = {"methods": ["application_credential"], "application_credential": credential}
    answer = own.call("POST", f"{keystone}/auth/tokens", {"auth": {"identity": identity}})
    return str({k.lower(): v for k, v in answer.headers.items()}["x-subject-token"])


def test_clients_find_the_service_in_the_catalog_that_they_log_in_at(
    rest: Rest, serving: Serving
) -> None:
    port = serving.ports["api"]
    assert rest.url == f"http://127.0.0.1:{port}/v1/{rest.project}"
    base = f"http://127.0.0.1:{port}/identity/v3"
    catalog = rest.get(f"{base}/auth/catalog")["catalog"]
    ours = [each for each in catalog if each["type"] == "orchestration"]
    assert [e["url"] for e in ours[0]["endpoints"] if e["interface"] == "public"] == [rest.url]
    assert len(ours) == 1, "the cloud's own is not there beside it"
    version = rest.call("GET", f"{base}/")
    assert [link["href"] for link in version.json["version"]["links"]] == [f"{base}/"]


def test_the_account_s_real_password_works_by_way_of_the_service_too(
    serving: Serving, account_file: Path, tmp_path: Path
) -> None:
    clouds = yaml.safe_load(account_file.read_text())
    auth = clouds["clouds"]["demo"]["auth"]
    auth["auth_url"] = f"http://127.0.0.1:{serving.ports['api']}/identity/v3"
    (tmp_path / "clouds.yaml").write_text(yaml.safe_dump(clouds))
    through = Rest(tmp_path / "clouds.yaml", "demo")
    assert through.get("/stacks")["stacks"] == []


def test_the_service_s_password_opens_the_account_s_project_alone(
    serving: Serving, rest: Rest
) -> None:
    file = yaml.safe_load((serving.state / "clouds.yaml").read_text())
    auth = file["clouds"]["demo"]["auth"]
    user = {"name": "demo", "password": auth["password"], "domain": {"id": "default"}}
    identity = {"methods": ["password"], "password": {"user": user}}
    for scope in ({"project": {"id": "another"}}, {"project": {"name": "admin"}}, {}):
        body = {"auth": {"identity": identity, "scope": scope}}
        answer = rest.call("POST", f"{auth['auth_url']}/auth/tokens", body)
        assert answer.status == 401
        assert "opens project demo" in answer.message


def test_the_account_s_secret_is_in_no_file_of_the_state_directory(
    serving: Serving, account_file: Path
) -> None:
    secret = yaml.safe_load(account_file.read_text())["clouds"]["demo"]["auth"]["password"]
    holders = [
        path.name for path in serving.state.iterdir() if secret.encode() in path.read_bytes()
    ]
    assert holders == []


def test_it_goes_on_after_a_kill_with_the_account_of_the_file(
    account_file: Path, tmp_path: Path
) -> None:
    with closing(_serving(tmp_path / "state", account_file)) as first:
        stack_id = created(first.endpoint, "kept", NET)
        first.kill_all()
    with closing(_serving(tmp_path / "state", account_file)) as second:
        assert second.endpoint.stack("kept", stack_id)["stack_status"] == "CREATE_COMPLETE"
        second.endpoint.delete("kept", stack_id)
        assert second.stop(signal.SIGINT) == 0


def _refused(state: Path, *more: str, file: Path) -> str:
    """Start it, which must fail, and return what it says."""
    command = (sys.executable, "-m", "stoker.app", "serve", "--state", str(state), *more)
    ports = ("--port", "0", "--cfn-port", "0", "--devcloud-port", "0")
    done = subprocess.run(
        (*command, *ports),
        env={**os.environ, "OS_CLIENT_CONFIG_FILE": str(file)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode in (1, 3), done
    assert done.stderr.startswith("stoker: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_state_directory_belongs_to_one_project(
    cloud: Serving, account_file: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    with closing(_serving(state, account_file)) as first:
        first.stop()
    said = _refused(state, "--cloud", "admin", file=account_file)
    assert "belongs to project" in said
    assert "--state" in said
    assert "belongs to a project at" in _refused(state, file=account_file)
    embedded = tmp_path / "embedded"
    with closing(Serving(embedded)) as other:
        other.stop()
    said = _refused(embedded, "--cloud", "demo", file=account_file)
    assert "belongs to an embedded cloud" in said


def test_what_keeps_it_from_starting_is_told_in_a_line(tmp_path: Path, account_file: Path) -> None:
    state = tmp_path / "state"
    assert "nosuch" in _refused(state, "--cloud", "nosuch", file=account_file)
    own = state / "clouds.yaml"
    assert "leads back to this service" in _refused(state, "--cloud", "demo", file=own)
    clouds = yaml.safe_load(account_file.read_text())
    clouds["clouds"]["demo"]["auth"]["password"] = "wrong"
    wrong = tmp_path / "clouds.yaml"
    wrong.write_text(yaml.safe_dump(clouds))
    said = _refused(state, "--cloud", "demo", file=wrong)
    assert "credentials were refused" in said
    assert "wrong" not in said
    clouds["clouds"]["demo"]["auth"]["auth_url"] = "http://127.0.0.1:1/v3"
    wrong.write_text(yaml.safe_dump(clouds))
    assert "127.0.0.1" in _refused(state, "--cloud", "demo", file=wrong)
