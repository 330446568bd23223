"""Who may not do what, and what no request can make the API do: a test for each way in.

What a policy file overrides is told in ``tests/api/test_policy.py``, that no private address is
asked (redirections and names that lead there too) in ``tests/test_fetch.py``, and that only an
operator allows it in ``tests/app/test_offer.py``: ``stoker serve`` does, its user is the operator.
"""

from __future__ import annotations

import json
import os
import random
import socket
import string
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import pytest

from stoker.api.v1.application import ROUTES
from stoker.cli.account import account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.rest import Rest, Stack
    from tests.e2e.tenant import Tenant

TEMPLATE: Final = {
    "heat_template_version": "2021-04-16",
    "resources": {"word": {"type": "OS::Heat::RandomString"}},
}
SLOW: Final = 8
LONG: Final = os.environ.get("STOKER_LONG") == "1"
REQUESTS: Final = 100_000 if LONG else 500


@pytest.fixture(scope="module")
def stack(rest: Rest) -> Iterator[Stack]:
    stack = rest.create("guarded", TEMPLATE)
    stack.wait("CREATE_COMPLETE")
    yield stack
    stack.deleted()


@pytest.fixture(scope="module")
def other(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("stranger")


def everything(stack: Stack) -> list[tuple[str, str, Any]]:
    """Return a request of each kind, of one stack, by its name and by its id."""
    named, by_id = f"/stacks/{stack.name}", f"/stacks/{stack.id}"
    goal = {"template": TEMPLATE}
    return [
        ("GET", named, None),
        ("GET", by_id, None),
        ("GET", stack.path, None),
        ("GET", f"{stack.path}/template", None),
        ("GET", f"{stack.path}/environment", None),
        ("GET", f"{stack.path}/outputs", None),
        ("GET", f"{stack.path}/events", None),
        ("GET", f"{stack.path}/resources", None),
        ("GET", f"{stack.path}/resources/word", None),
        ("GET", f"{stack.path}/resources/word/metadata", None),
        ("GET", f"{stack.path}/snapshots", None),
        ("PUT", stack.path, goal),
        ("PATCH", stack.path, {"tags": "mine"}),
        ("PUT", f"{stack.path}/preview", goal),
        ("PATCH", f"{stack.path}/resources/word", {"mark_unhealthy": True}),
        ("POST", f"{stack.path}/actions", {"check": None}),
        ("POST", f"{stack.path}/snapshots", {"name": "mine"}),
        ("POST", f"{stack.path}/resources/word/signal", {}),
        ("DELETE", f"{stack.path}/abandon", None),
        ("DELETE", stack.path, None),
        ("DELETE", by_id, None),
        ("DELETE", named, None),
    ]


def test_another_project_finds_no_stack_of_ours_by_name_or_id(stack: Stack, other: Tenant) -> None:
    before = stack.show()
    for verb, path, body in everything(stack):
        answer = other.rest.call(verb, path, body)
        assert answer.status == 404, (verb, path, answer)
        assert "OS::Heat::RandomString" not in answer.text
    assert other.rest.get("/stacks?show_nested=true")["stacks"] == []
    assert stack.show() == before


def test_a_path_of_another_project_is_closed(stack: Stack, other: Tenant) -> None:
    before = stack.show()
    for verb, path, body in everything(stack):
        answer = other.rest.call(verb, f"{stack.rest.url}{path}", body)
        assert answer.status == 403, (verb, path, answer)
    assert stack.show() == before


def test_a_role_of_no_rule_opens_nothing_and_a_reader_changes_nothing(
    other: Tenant, clouds_yaml: Path, tmp_path: Path
) -> None:
    theirs = other.rest.create("theirs", TEMPLATE)
    theirs.wait("CREATE_COMPLETE")
    other.admin.identity.create_role(name="of-no-rule")
    nobody = other.colleague("nobody", clouds_yaml, tmp_path, ["of-no-rule"])
    reader = other.colleague("only-reads", clouds_yaml, tmp_path, ["reader"])
    before = theirs.show()
    for verb, path, body in everything(theirs):
        if not path.startswith(theirs.path):  # these lead to the others, and show no more
            continue
        assert nobody.call(verb, path, body).status == 403, (verb, path)
        # Heat's rule lets readers signal; this type takes none.
        may = 200 if verb == "GET" else 400 if path.endswith("/signal") else 403
        assert reader.call(verb, path, body).status == may, (verb, path)
    assert nobody.call("POST", "/stacks", {"stack_name": "n", "template": TEMPLATE}).status == 403
    assert reader.call("POST", "/stacks", {"stack_name": "n", "template": TEMPLATE}).status == 403
    assert theirs.show() == before
    theirs.deleted()


@pytest.mark.parametrize("token", ["", "x", "a" * 8000, "None", "\u00e9"])
def test_without_a_token_of_the_clouds_there_is_nothing(
    rest: Rest, stack: Stack, token: str
) -> None:
    for verb, path, body in everything(stack):
        assert rest.call(verb, path, body, {"X-Auth-Token": token}).status == 401, (verb, path)


def test_a_tampered_and_a_revoked_token_are_worth_nothing(
    other: Tenant, clouds_yaml: Path, tmp_path: Path
) -> None:
    leaving = other.colleague("leaves", clouds_yaml, tmp_path)
    kept = leaving.token
    changed = kept[:-1] + ("A" if kept[-1] != "A" else "B")
    assert leaving.call("GET", "/stacks", None, {"X-Auth-Token": changed}).status == 401
    other.admin.identity.delete("/auth/tokens", headers={"X-Subject-Token": kept})
    assert leaving.call("GET", "/stacks").status == 401


def test_a_token_is_worth_nothing_once_its_time_is_over(
    rest: Rest, stack: Stack, clouds_yaml: Path
) -> None:
    identity = account(clouds_yaml, "demo").auth_url
    ends_at = int(time.time()) + 3
    end = f"{datetime.fromtimestamp(ends_at, UTC).isoformat()[:19]}Z"
    subject = {"X-Subject-Token": rest.token}
    user = rest.call("GET", f"{identity}/auth/tokens", headers=subject).json["token"]["user"]
    wanted = {"application_credential": {"name": "brief", "expires_at": end}}
    made = rest.call("POST", f"{identity}/users/{user['id']}/application_credentials", wanted)
    credential = {each: made.json["application_credential"][each] for each in ("id", "secret")}
    proof = {"methods": ["application_credential"], "application_credential": credential}
    given = rest.call("POST", f"{identity}/auth/tokens", {"auth": {"identity": proof}})
    assert given.status == 201
    brief = {"X-Auth-Token": {k.lower(): v for k, v in given.headers.items()}["x-subject-token"]}
    # While it counts it is let in, and what is known of it is kept.
    statuses = [rest.call("GET", stack.path, headers=brief).status]
    until = time.monotonic() + 30
    while statuses[-1] != 401 and time.monotonic() < until:
        time.sleep(0.1)
        statuses.append(rest.call("GET", stack.path, headers=brief).status)
    assert time.time() >= ends_at
    assert set(statuses[:-1]) <= {200}
    for verb, path, body in everything(stack):
        answer = rest.call(verb, path, body, brief)
        assert answer.status == 401, (verb, path)
        assert stack.id not in answer.text.replace(path, "")
    assert stack.show()["stack_status"] == "CREATE_COMPLETE"


def test_headers_that_only_the_door_sets_are_not_believed(stack: Stack, other: Tenant) -> None:
    forged = {
        "X-Identity-Status": "Confirmed",
        "X-Project-Id": stack.rest.project,
        "X-Roles": "admin",
        "X-Is-Admin-Project": "True",
        "X-Service-Identity-Status": "Confirmed",
    }
    assert other.rest.call("GET", stack.path, None, forged).status == 404
    assert other.rest.call("GET", f"{stack.rest.url}{stack.path}", None, forged).status == 403
    nobody = {**forged, "X-Auth-Token": ""}
    assert other.rest.call("GET", f"{stack.rest.url}{stack.path}", None, nobody).status == 401


@pytest.mark.parametrize("url", ["file:///etc/passwd", "gopher://127.0.0.1/1"])
def test_nothing_is_fetched_but_by_http(rest: Rest, url: str) -> None:
    for body in (
        {"template_url": url},
        {"template": {**TEMPLATE, "resources": {"a": {"type": f"{url}/a.yaml"}}}},
        {
            "template": {**TEMPLATE, "resources": {"a": {"type": "X::Y"}}},
            "environment": {"resource_registry": {"X::Y": f"{url}/a.yaml"}},
        },
    ):
        answer = rest.call("POST", "/validate", body)
        assert answer.status == 400, answer
        assert "root:" not in answer.text


def test_an_oversized_body_is_refused_and_others_are_served(rest: Rest) -> None:
    body = json.dumps({"template": TEMPLATE}).encode()
    assert rest.call("POST", "/validate", body).status == 200
    try:  # the same, but for its length
        status = rest.call("POST", "/validate", body + b" " * (64 << 20)).status
    except (BrokenPipeError, ConnectionResetError):  # told before all of it was sent
        status = 413
    assert status in (400, 413)
    assert rest.call("GET", "/stacks").status == 200


def test_slow_bodies_hold_up_nobody_and_are_given_up(rest: Rest) -> None:
    parts = urlsplit(rest.url)
    head = (
        f"POST {parts.path}/validate HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"X-Auth-Token: {rest.token}\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000\r\n\r\n{"
    ).encode()
    slow = [socket.create_connection((parts.hostname, parts.port), 60) for _ in range(SLOW)]
    for each in slow:
        each.sendall(head)
    begun = time.monotonic()
    assert [rest.call("GET", "/stacks").status for _ in range(5)] == [200] * 5
    for each in slow:
        said = each.recv(4096)  # nothing, or that it came to nothing; never a fault of ours
        assert not said or b" 4" in said.split(b"\r\n")[0], said
        each.close()
    assert time.monotonic() - begun < 30


# whatever is sent


@pytest.mark.timeout(3600 if LONG else 120)
def test_no_random_request_is_a_fault_of_ours_or_touches_a_stack(
    rest: Rest, stack: Stack, other: Tenant
) -> None:
    before = stack.show()
    chance = random.Random(20_261_130)  # noqa: S311 - no secret
    for _ in range(REQUESTS):
        verb, path, body, headers = random_request(chance, stack)
        try:
            answer = other.rest.call(verb, path, body, headers)
        except ValueError:  # the client's own: it does not send such a header or path
            continue
        assert answer.status < 500, (verb, path, body, headers, answer)
        assert stack.id not in answer.text or stack.id in path, (verb, path, answer)
    assert stack.show() == before


def random_request(chance: random.Random, stack: Stack) -> tuple[str, str, bytes, dict[str, str]]:
    """Return a request on some route, with much that nobody sends."""
    words = [stack.name, stack.id, "word", "..", "%2e%2e", "", "a" * 300, "\u00e9", "1", "'--"]
    route = chance.choice(ROUTES)
    path = route.path.removeprefix("/{project}")
    while "{" in path:
        begin, _, rest = path.partition("{")
        path = begin + quote(chance.choice(words), safe="%") + rest.partition("}")[2]
    if chance.random() < 0.5:
        names = ["limit", "marker", "sort_keys", "nested_depth", "show_nested", "x", "with_count"]
        path += f"?{chance.choice(names)}={quote(noise(chance, 20))}"
    verb = route.verb if chance.random() < 0.8 else chance.choice(["GET", "POST", "PUT", "BREW"])
    names = ["Content-Type", "Accept", "X-Auth-Token", "X-Openstack-Request-Id", "If-Match", "Host"]
    headers = {chance.choice(names): noise(chance, 40)} if chance.random() < 0.3 else {}
    return verb, path, json_noise(chance), headers


def noise(chance: random.Random, most: int) -> str:
    letters = string.printable[:95] if chance.random() < 0.8 else "\x01\x7f\u00ff{}[]"
    return "".join(chance.choices(letters, k=chance.randrange(most)))


def json_noise(chance: random.Random) -> bytes:
    """Return a body: often JSON with known keys and wrong values, sometimes nothing like it."""
    if chance.random() < 0.2:
        return chance.randbytes(chance.randrange(40))
    keys = ["stack_name", "template", "parameters", "files", "environment", "check", "name", "tags"]
    values = ["null", "[]", "{}", '"x"', "-1", "1e999", '"\\ud800"', "[[[[]]]]", '{"a": {"b": 1}}']
    chosen = chance.sample(keys, chance.randrange(4))
    return ("{" + ", ".join(f'"{key}": {chance.choice(values)}' for key in chosen) + "}").encode()
