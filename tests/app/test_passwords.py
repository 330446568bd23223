"""Services that go on with users' passwords, and the clients that send them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import openstack
import pytest
from heatclient import exc  # type: ignore[import-untyped]  # it has no types
from heatclient.client import Client  # type: ignore[import-untyped]  # it has no types

from stoker.app.client_config import embedded_clouds
from tests.app.operating import READY, Program, Site
from tests.app.serving import SECONDS, eventually
from tests.e2e.rest import Rest
from tests.e2e.secret import found_in
from tests.rpc.broker import Broker

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::openstack.warnings.{each}")  # openstacksdk's of itself
    for each in ("RemovedInSDK50Warning", "RemovedInSDK60Warning")
]

FIRST, SECOND = "the-first-wörd-of-its-owner", "the-second-wörd-of-its-owner"
METHOD = "OS_DEFAULT__DEFERRED_AUTH_METHOD"
DEBUG = {"OS_DEFAULT__DEBUG": "true", "OS_DEFAULT__DEFAULT_LOG_LEVELS": "urllib3=DEBUG"}
"""Also what is quiet by default: those who speak to Keystone."""

NET = {"type": "OS::Neutron::Net"}


@dataclass
class Owner:
    """A user with a password of his own, and his clients."""

    site: Site
    name: str
    password: str

    @property
    def rest(self) -> Rest:
        """The API as he sees it, with a token that is new."""
        file = self.site.folder / f"{self.name}.yaml"
        text = embedded_clouds(self.site.auth_url, self.password)
        file.write_text(text.replace("username: demo", f"username: {self.name}"))
        return Rest(file, "demo")

    def heat(self, **more: Any) -> Any:
        """Return Heat's own client, which sends name and password beside the token."""
        rest = self.rest
        sent = {"username": self.name, "password": self.password, "include_pass": True} | more
        return Client("1", endpoint=rest.url, token=rest.token, **sent)

    def stack(self, name: str, **resources: Any) -> str:
        """Create a stack with his password and return its id."""
        made = self.heat().stacks.create(stack_name=name, template=template(**resources))
        return str(made["stack"]["id"])


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources}


class Services:
    """An engine and an API that log all that they can, by one method and then another."""

    def __init__(self, site: Site, more: Mapping[str, str] = {}) -> None:
        self.site = site
        self._more = {**DEBUG, **more}
        self._running: list[Program] = []

    def restart(self, method: str = "password") -> None:
        """Start them anew: processes that have seen nothing yet."""
        assert [each.stop() for each in self._running] in ([], [0, 0])
        more, wanted = {METHOD: method, **self._more}, self.site.log.count(READY) + 1
        self._running = [self.site.program("engine_service", more), self.site.api(more)]
        eventually(lambda: self.site.log.count(READY) >= wanted)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with closing(Site(tmp_path_factory.mktemp("passwords"))) as site:
        assert site.manage("db", "sync").returncode == 0
        found = Services(site)
        found.restart()
        yield found


@pytest.fixture
def site(services: Services) -> Site:
    return services.site


@pytest.fixture(scope="module")
def admin(services: Services) -> Iterator[Any]:
    with closing(administrator(services.site)) as found:
        yield found


def administrator(site: Site) -> Any:
    """Return the administrator's connection, to be closed."""
    loader = openstack.config.OpenStackConfig(config_files=[str(site.clouds_yaml)])
    return openstack.connection.Connection(config=loader.get_one("admin"))


@pytest.fixture
def owner(site: Site, admin: Any, request: pytest.FixtureRequest) -> Owner:
    """Return a new user of the project ``demo``."""
    return user(site, admin, f"u{abs(hash(request.node.name))}", FIRST)


def user(site: Site, admin: Any, name: str, password: str) -> Owner:
    project = admin.identity.find_project("demo")
    made = admin.identity.create_user(name=name, password=password, domain_id="default")
    for role in ("member", "reader"):
        found = admin.identity.find_role(role)
        admin.identity.assign_project_role_to_user(project.id, made.id, found.id)
    return Owner(site, name, password)


def changed(admin: Any, owner: Owner) -> Owner:
    """Change his password; all tokens that he has end."""
    found = admin.identity.find_user(owner.name)
    admin.identity.update_user(found.id, password=SECOND)
    return replace(owner, password=SECOND)


def credentials(site: Site, stack_id: str) -> int:
    """Return the id of the credentials that a stack has."""
    ((found,),) = _rows(site, "SELECT user_creds_id FROM stack WHERE id = ?", stack_id)
    return int(found)


def kept(site: Site, creds_id: int) -> str:
    """Return what is kept under an id."""
    query = "SELECT trust_id IS NOT NULL, secret IS NOT NULL FROM user_creds WHERE id = ?"
    found = {(1, 0): "trust", (0, 1): "password"}
    return next((found[row] for row in _rows(site, query, creds_id)), "nothing")


def newest(site: Site) -> int:
    """Return the highest id that any credentials have had."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    return max([0, *(int(number) for (number,) in _rows(site, query, "user_creds"))])


def _rows(site: Site, query: str, what: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(site.folder / "stoker.db")) as connection:
        return connection.execute(query, (what,)).fetchall()


def there(site: Site) -> dict[str, bytes]:
    """Return every file of the installation but those of its cloud and of its clients."""
    files = [each for each in site.folder.iterdir() if each.is_file()]
    ours = [e for e in files if not e.name.startswith("devcloud") and e.suffix != ".yaml"]
    return {each.name: each.read_bytes() for each in ours}


def test_heats_client_has_a_stack_live_its_life(site: Site, owner: Owner, admin: Any) -> None:
    id = owner.stack("life", net=NET)
    assert site.ended("life", id) == "CREATE_COMPLETE"
    first = credentials(site, id)
    now = changed(admin, owner)
    now.heat().stacks.update(id, template=template(net=NET, more=NET))
    assert site.ended("life", id) == "UPDATE_COMPLETE"
    second = credentials(site, id)
    assert second > first
    assert kept(site, first) == kept(site, second) == "password", "it may be in use for an hour"
    now.heat().stacks.delete(id)
    assert site.ended("life", id) == "DELETE_COMPLETE"
    written = there(site)
    assert {"stoker.log", "stoker.db"} <= written.keys()
    assert b"DEBUG keystoneauth" in written["stoker.log"]
    assert found_in(written, [FIRST, SECOND]) == []
    assert "the passwords of stacks' owners are stored" in site.log
    eventually(lambda: kept(site, second) == "nothing")


def test_without_name_and_password_a_stack_that_needs_a_service_is_refused(
    site: Site, owner: Owner
) -> None:
    before = newest(site)
    for sent, header in (
        ({"username": None, "password": None}, "X-Auth-User"),
        ({"username": None}, "X-Auth-User"),
        ({"password": None}, "X-Auth-Key"),
    ):
        with pytest.raises(exc.HTTPBadRequest) as told:
            owner.heat(**sent).stacks.create(stack_name="bare", template=template(net=NET))
        assert told.value.error["error"]["type"] == "MissingCredentialError"
        assert f"Missing required credential: {header}" in str(told.value)
        assert "X-Auth-Key" in told.value.error["remedy"]
    assert newest(site) == before


def test_heats_command_sends_them_too(site: Site, owner: Owner) -> None:
    rest, file = owner.rest, site.folder / "net.json"
    file.write_text(json.dumps(template(net=NET)))
    arguments = {
        "--os-auth-token": rest.token,
        "--heat-url": rest.url,
        "--os-username": owner.name,
        "--os-password": owner.password,
    }
    command = (
        str(Path(sys.executable).with_name("heat")),
        "--os-no-client-auth",
        "--include-password",
        *(word for pair in arguments.items() for word in pair),
        *("stack-create", "by-command", "-f", str(file)),
    )
    ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran.stderr
    (id,) = [
        each["id"] for each in rest.get("/stacks")["stacks"] if each["stack_name"] == "by-command"
    ]
    assert site.ended("by-command", id) == "CREATE_COMPLETE"
    assert kept(site, credentials(site, id)) == "password"


def test_what_needs_no_service_needs_no_password(site: Site, owner: Owner) -> None:
    answer = owner.rest.create("mere", template(word={"type": "OS::Heat::RandomString"}))
    assert site.ended("mere", answer.id) == "CREATE_COMPLETE"


def test_a_wrong_password_is_refused_and_told_nowhere(site: Site, owner: Owner) -> None:
    before = newest(site)
    with pytest.raises(exc.HTTPBadRequest, match="X-Auth-Key does not let user"):
        owner.heat(password="quite-wrong-wörd").stacks.create(
            stack_name="wrong", template=template(net=NET)
        )
    assert newest(site) == before
    assert found_in(there(site), ["quite-wrong-wörd"]) == []


def test_a_colleague_ends_what_there_is_but_changes_it_as_himself_alone(
    site: Site, owner: Owner, admin: Any
) -> None:
    id = owner.stack("shared", net=NET)
    assert site.ended("shared", id) == "CREATE_COMPLETE"
    colleague = user(site, admin, f"{owner.name}-2", "the-word-of-a-colleague")
    path = f"/stacks/shared/{id}"
    answer = colleague.rest.call("PUT", path, {"template": template()})
    assert (answer.status, answer.fault) == (400, "MissingCredentialError")
    colleague.heat().stacks.update(id, template=template(net=NET, more=NET))
    assert site.ended("shared", id) == "UPDATE_COMPLETE"
    assert owner.rest.call("DELETE", path).status == 204
    assert site.ended("shared", id) == "DELETE_COMPLETE"


def test_a_changed_password_stops_no_delete_of_who_brings_the_new_one(
    services: Services, site: Site, owner: Owner, admin: Any
) -> None:
    id = owner.stack("lost", net=NET)
    assert site.ended("lost", id) == "CREATE_COMPLETE"
    now = changed(admin, owner)
    services.restart()  # what has a token still would go on until that is refused
    answer = now.rest.call("DELETE", f"/stacks/lost/{id}")
    assert (answer.status, answer.fault) == (400, "MissingCredentialError")
    now.heat().stacks.delete(id)
    assert site.ended("lost", id) == "DELETE_COMPLETE"


def test_stacks_of_both_methods_go_on_whichever_is_chosen(
    services: Services, site: Site, owner: Owner
) -> None:
    """With a token alone; an update brings them over, where that is enough."""
    first, ended = owner.stack("by-password", net=NET), owner.stack("soon-gone", net=NET)
    for name, id in (("by-password", first), ("soon-gone", ended)):
        assert site.ended(name, id) == "CREATE_COMPLETE"
    password = credentials(site, ended)
    services.restart("trusts")
    try:
        delete(owner, "soon-gone", ended)
        eventually(lambda: kept(site, password) == "nothing")
        update(owner, "by-password", first)
        assert kept(site, credentials(site, first)) == "trust"
        second = owner.rest.create("by-trust", template(net=NET)).id
        assert site.ended("by-trust", second) == "CREATE_COMPLETE"
    finally:
        services.restart("password")
    trust = credentials(site, second)
    update(owner, "by-trust", second)
    assert (credentials(site, second), kept(site, trust)) == (trust, "trust")
    delete(owner, "by-password", first)
    delete(owner, "by-trust", second)
    eventually(lambda: kept(site, trust) == "nothing")


def test_over_a_broker_they_reach_the_engines_and_are_written_nowhere(
    broker: Broker, tmp_path: Path
) -> None:
    more = {"OS_DEFAULT__TRANSPORT_URL": broker.url, "OS_STOKER__BEARER": "rpc"}
    with closing(Site(tmp_path)) as site, closing(administrator(site)) as admin:
        assert site.manage("db", "sync").returncode == 0
        Services(site, more).restart()
        owner = user(site, admin, "by-broker", FIRST)
        eventually(lambda: owner.rest.call("GET", "/stacks").status == HTTPStatus.OK)
        with pytest.raises(exc.HTTPBadRequest, match="Missing required credential: X-Auth-User"):
            owner.heat(username=None).stacks.create(stack_name="bare", template=template(net=NET))
        with pytest.raises(exc.HTTPBadRequest, match="X-Auth-Key does not let user"):
            owner.heat(password=SECOND).stacks.create(
                stack_name="wrong", template=template(net=NET)
            )
        id = owner.stack("life", net=NET)
        assert site.ended("life", id) == "CREATE_COMPLETE"
        delete(owner, "life", id)
        assert b"DEBUG oslo_messaging" in (written := there(site))["stoker.log"]
        assert found_in(written, [FIRST, SECOND]) == []


def update(owner: Owner, name: str, id: str) -> None:
    body = {"template": template(net=NET, more=NET)}
    assert owner.rest.call("PUT", f"/stacks/{name}/{id}", body).status == 202
    assert owner.site.ended(name, id) == "UPDATE_COMPLETE"


def delete(owner: Owner, name: str, id: str) -> None:
    assert owner.rest.call("DELETE", f"/stacks/{name}/{id}").status == 204
    assert owner.site.ended(name, id) == "DELETE_COMPLETE"
