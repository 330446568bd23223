"""Tokens: had, validated, revoked; who may, and what they say."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.devcloud.client import Client, by_password, project_scope

TOKENS = "/identity/v3/auth/tokens"


@pytest.fixture
def newcomer(admin: Client) -> dict[str, str]:
    """Return a new user with the role member on a new project, and the project."""
    name = uuid4().hex
    user = {"name": name, "password": "pw", "domain_id": "default"}
    user_id = admin.call("POST", "/identity/v3/users", {"user": user}).body["user"]["id"]
    project = admin.call("POST", "/identity/v3/projects", {"project": {"name": name}}).body
    project_id = project["project"]["id"]
    role = admin.get("/identity/v3/roles?name=member").body["roles"][0]["id"]
    place = f"/identity/v3/projects/{project_id}/users/{user_id}/roles/{role}"
    assert admin.call("PUT", place).status == 204
    return {"name": name, "user": user_id, "project": project_id, "grant": place}


def test_a_password_gives_a_token_for_a_project_by_name_or_id(anybody: Client) -> None:
    answer = anybody.authenticate(by_password("demo"), project_scope("demo"))
    token = answer.body["token"]
    assert token["user"]["name"] == "demo"
    assert token["project"]["domain"] == {"id": "default", "name": "Default"}
    assert [role["name"] for role in token["roles"]] == ["heat_stack_owner", "member", "reader"]
    by_id = {"methods": ["password"], "password": {"user": {}}}
    by_id["password"] = {"user": {"id": token["user"]["id"], "password": "secret"}}
    again = anybody.authenticate(by_id, {"project": {"id": token["project"]["id"]}})
    assert again.body["token"]["project"] == token["project"]


def test_roles_imply_others(anybody: Client) -> None:
    roles = anybody.user("admin").me()["roles"]
    assert [role["name"] for role in roles] == ["admin", "member", "reader"]


@pytest.mark.parametrize(
    ("identity", "scope"),
    [
        (by_password("demo", "wrong"), None),
        (by_password("nobody"), None),
        (by_password("demo", domain="none"), None),
        (by_password("demo"), project_scope("service")),
        (by_password("demo"), project_scope("none")),
        (by_password("demo"), {"domain": {"id": "default"}}),
        (by_password("demo"), {"system": {"all": True}}),
        ({"methods": ["totp"], "totp": {}}, None),
    ],
)
def test_whatever_is_wrong_the_answer_is_a_401(anybody: Client, identity: Any, scope: Any) -> None:
    answer = anybody.authenticate(identity, scope)
    assert answer.status == 401
    assert answer.body["error"]["title"] == "Unauthorized"
    assert answer.headers["WWW-Authenticate"].startswith("Keystone uri=")


def test_a_token_that_proves_nothing_is_not_found(anybody: Client) -> None:
    assert anybody.authenticate({"methods": ["token"], "token": {"id": "nonsense"}}).status == 404


def test_a_method_without_its_proof_is_a_bad_request(anybody: Client) -> None:
    assert anybody.authenticate({"methods": ["password"]}).status == 400


def test_a_user_without_a_default_project_gets_an_unscoped_token(anybody: Client) -> None:
    heat = anybody.authenticate(by_password("heat")).body["token"]
    assert not {"project", "catalog", "roles"} & set(heat)
    default = anybody.authenticate(by_password("demo")).body["token"]
    assert default["project"]["name"] == "demo"
    unscoped = anybody.authenticate(by_password("demo"), "unscoped").body["token"]
    assert "project" not in unscoped


def test_a_domain_can_be_the_scope(anybody: Client, admin: Client) -> None:
    [domain] = admin.get("/identity/v3/domains?name=heat").body["domains"]
    identity = by_password("heat_domain_admin", domain=domain["id"])
    token = anybody.authenticate(identity, {"domain": {"name": "heat"}}).body["token"]
    assert token["domain"] == {"id": domain["id"], "name": "heat"}
    kinds = {s["type"]: s["endpoints"] for s in token["catalog"]}
    assert kinds["orchestration"] == []
    assert len(kinds["identity"]) == 3


def test_a_token_is_exchanged_for_another_scope_and_lives_no_longer(anybody: Client) -> None:
    first = anybody.bearer_of(by_password("admin"), "unscoped")
    identity = {"methods": ["token"], "token": {"id": first.token}}
    second = anybody.bearer_of(identity, project_scope("demo")).me()
    assert second["project"]["name"] == "demo"
    assert second["methods"] == ["password", "token"]
    assert second["expires_at"] == first.me()["expires_at"]


def test_services_admins_and_the_user_himself_may_validate(anybody: Client, demo: Client) -> None:
    for user, project in (("heat", "service"), ("admin", "admin"), ("demo", "demo")):
        caller = anybody.user(user, project)
        answer = caller.get(TOKENS, X_Subject_Token=demo.token)
        assert answer.status == 200
        assert answer.body["token"]["user"]["name"] == "demo"
        assert answer.headers["X-Subject-Token"] == demo.token
        assert caller.call("HEAD", TOKENS, X_Subject_Token=demo.token).status == 200
    admin = anybody.user("admin")
    assert demo.get(TOKENS, X_Subject_Token=admin.token).status == 403
    assert admin.get(TOKENS, X_Subject_Token="none").status == 404
    bare = admin.get(f"{TOKENS}?nocatalog", X_Subject_Token=demo.token)
    assert "catalog" not in bare.body["token"]


def test_a_revoked_token_is_void(anybody: Client) -> None:
    demo, admin = anybody.user("demo"), anybody.user("admin")
    assert demo.get("/image/v2/images").status == 200
    assert demo.call("DELETE", TOKENS, X_Subject_Token=demo.token).status == 204
    assert demo.get("/image/v2/images").status == 401
    assert admin.get(TOKENS, X_Subject_Token=demo.token).status == 404


@pytest.mark.parametrize("what", ["user", "project"])
def test_disabling_a_user_or_project_ends_tokens_at_once(
    anybody: Client, admin: Client, newcomer: dict[str, str], what: str
) -> None:
    own = anybody.user(newcomer["name"], password="pw")
    assert own.get("/image/v2/images").status == 200
    place = f"/identity/v3/{what}s/{newcomer[what]}"
    assert admin.call("PATCH", place, {what: {"enabled": False}}).status == 200
    assert own.get("/image/v2/images").status == 401


def test_a_revoked_role_ends_tokens_at_once(
    anybody: Client, admin: Client, newcomer: dict[str, str]
) -> None:
    own = anybody.user(newcomer["name"], password="pw")
    assert own.get("/image/v2/images").status == 200
    assert admin.call("DELETE", newcomer["grant"]).status == 204
    assert own.get("/image/v2/images").status == 401
    assert admin.call("DELETE", newcomer["grant"]).status == 404


def test_a_new_password_ends_tokens_and_stands(
    anybody: Client, admin: Client, newcomer: dict[str, str]
) -> None:
    name = newcomer["name"]
    own = anybody.user(name, password="pw")
    wanted = {"user": {"original_password": "pw", "password": "new"}}
    place = f"/identity/v3/users/{newcomer['user']}/password"
    assert (
        own.call("POST", place, {"user": {**wanted["user"], "original_password": "no"}}).status
        == 401
    )
    assert own.call("POST", place, wanted).status == 204
    assert own.get("/image/v2/images").status == 401
    assert anybody.authenticate(by_password(name, "pw")).status == 401
    assert anybody.authenticate(by_password(name, "new")).status == 201


def test_what_a_user_may_have_a_token_for_is_listed(demo: Client) -> None:
    projects = demo.get("/identity/v3/auth/projects").body["projects"]
    assert [project["name"] for project in projects] == ["demo"]
    user = demo.me()["user"]["id"]
    assert demo.get(f"/identity/v3/users/{user}/projects").body["projects"] == projects
    assert demo.get("/identity/v3/auth/domains").body["domains"] == []
    catalog = demo.get("/identity/v3/auth/catalog").body["catalog"]
    assert catalog == demo.me()["catalog"]


@pytest.fixture
def hasty() -> Iterator[Client]:
    """Return a client of a cloud where tokens last a second."""
    with Server(Options(port=0, token_seconds=1.0)) as server:
        client = Client(server.url)
        yield client
        client.close()


def test_tokens_expire_and_may_be_validated_by_services_for_a_while(hasty: Client) -> None:
    demo = hasty.user("demo")
    assert demo.get("/image/v2/images").status == 200
    deadline = time.monotonic() + 10
    while demo.get("/image/v2/images").status == 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    heat = hasty.user("heat", "service")
    assert demo.get("/image/v2/images").status == 401
    assert heat.get(TOKENS, X_Subject_Token=demo.token).status == 404
    late = heat.get(f"{TOKENS}?allow_expired=1", X_Subject_Token=demo.token)
    assert late.body["token"]["user"]["name"] == "demo"
