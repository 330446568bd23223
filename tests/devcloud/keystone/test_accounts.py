"""Domains, projects, users, groups, roles and grants."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.devcloud.client import Client
from tests.devcloud.conftest import Connect

V3 = "/identity/v3"
NEW: dict[str, dict[str, Any]] = {
    "project": {"domain_id": "default"},
    "user": {"domain_id": "default", "password": "pw"},
    "group": {"domain_id": "default"},
    "role": {},
    "domain": {},
}


def make(admin: Client, kind: str, **fields: Any) -> dict[str, Any]:
    wanted = {"name": uuid4().hex, **NEW[kind], **fields}
    answer = admin.call("POST", f"{V3}/{kind}s", {kind: wanted})
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.body[kind]
    return made


@pytest.mark.parametrize("kind", NEW)
def test_each_kind_is_made_found_changed_and_deleted(admin: Client, kind: str) -> None:
    made = make(admin, kind)
    place = f"{V3}/{kind}s/{made['id']}"
    assert "password" not in made
    assert made["links"]["self"].endswith(place)
    assert admin.get(place).body[kind] == made
    assert admin.get(f"{V3}/{kind}s?name={made['name']}").body[f"{kind}s"] == [made]
    changed = admin.call("PATCH", place, {kind: {"description": "new"}}).body[kind]
    assert changed == {**made, "description": "new"}
    admin.call("PATCH", place, {kind: {"enabled": False}})
    assert admin.call("DELETE", place).status == 204
    answer = admin.get(place)
    assert answer.status == 404
    assert answer.body["error"]["message"] == f"Could not find {kind}: {made['id']}."


@pytest.mark.parametrize("kind", NEW)
def test_a_name_is_taken_once(admin: Client, kind: str) -> None:
    first, second = make(admin, kind), make(admin, kind)
    body = {kind: {**NEW[kind], "name": first["name"]}}
    assert admin.call("POST", f"{V3}/{kind}s", body).status == 409
    renamed = {kind: {"name": first["name"]}}
    assert admin.call("PATCH", f"{V3}/{kind}s/{second['id']}", renamed).status == 409


def test_a_name_may_be_used_again_in_another_domain(admin: Client) -> None:
    domain = make(admin, "domain")
    project = make(admin, "project", domain_id=domain["id"])
    assert project["parent_id"] == domain["id"]
    make(admin, "project", name=project["name"])


@pytest.mark.parametrize("kind", NEW)
def test_only_admins_make_things(demo: Client, kind: str) -> None:
    answer = demo.call("POST", f"{V3}/{kind}s", {kind: {"name": uuid4().hex}})
    assert answer.status == 403
    assert answer.body["error"]["message"].endswith(f"action: identity:create_{kind}.")
    assert demo.get(f"{V3}/{kind}s").status == 403


def test_users_read_themselves_their_project_and_their_domain(demo: Client, admin: Client) -> None:
    me = demo.me()
    assert demo.get(f"{V3}/users/{me['user']['id']}").body["user"]["name"] == "demo"
    assert demo.get(f"{V3}/projects/{me['project']['id']}").status == 200
    assert demo.get(f"{V3}/domains/default").status == 200
    other = admin.me()
    assert demo.get(f"{V3}/users/{other['user']['id']}").status == 403
    assert demo.get(f"{V3}/projects/{other['project']['id']}").status == 403
    assert demo.get(f"{V3}/projects/none").status == 403


def test_an_enabled_domain_cannot_be_deleted_a_disabled_one_goes_with_all(admin: Client) -> None:
    domain = make(admin, "domain")
    user = make(admin, "user", domain_id=domain["id"])
    place = f"{V3}/domains/{domain['id']}"
    assert admin.call("DELETE", place).status == 403
    admin.call("PATCH", place, {"domain": {"enabled": False}})
    assert admin.call("DELETE", place).status == 204
    assert admin.get(f"{V3}/users/{user['id']}").status == 404


def test_built_in_roles_are_immutable(admin: Client) -> None:
    [role] = admin.get(f"{V3}/roles?name=member").body["roles"]
    assert admin.call("DELETE", f"{V3}/roles/{role['id']}").status == 403


def test_a_group_gives_its_members_its_roles(admin: Client, anybody: Client) -> None:
    group, user, project = (make(admin, kind) for kind in ("group", "user", "project"))
    [reader] = admin.get(f"{V3}/roles?name=reader").body["roles"]
    grant = f"{V3}/projects/{project['id']}/groups/{group['id']}/roles"
    assert admin.call("PUT", f"{grant}/{reader['id']}").status == 204
    assert admin.call("HEAD", f"{grant}/{reader['id']}").status == 204
    assert [role["name"] for role in admin.get(grant).body["roles"]] == ["reader"]
    membership = f"{V3}/groups/{group['id']}/users/{user['id']}"
    assert admin.call("HEAD", membership).status == 404
    assert admin.call("PUT", membership).status == 204
    assert admin.call("HEAD", membership).status == 204
    assert [u["id"] for u in admin.get(f"{V3}/groups/{group['id']}/users").body["users"]] == [
        user["id"]
    ]
    roles = anybody.user(user["name"], project["name"], "pw").me()["roles"]
    assert [role["name"] for role in roles] == ["reader"]
    effective = admin.get(f"{V3}/role_assignments?effective&user.id={user['id']}")
    [assignment] = effective.body["role_assignments"]
    assert assignment["scope"] == {"project": {"id": project["id"]}}


def test_grants_are_listed_with_names(admin: Client) -> None:
    user, domain = make(admin, "user"), make(admin, "domain")
    role = make(admin, "role")
    place = f"{V3}/domains/{domain['id']}/users/{user['id']}/roles/{role['id']}"
    assert admin.call("HEAD", place).status == 404
    assert admin.call("PUT", place).status == 204
    listed = admin.get(f"{V3}/role_assignments?user.id={user['id']}&include_names=true")
    [assignment] = listed.body["role_assignments"]
    assert assignment["role"] == {"id": role["id"], "name": role["name"]}
    assert assignment["user"]["domain"] == {"id": "default", "name": "Default"}
    assert assignment["scope"] == {"domain": {"id": domain["id"], "name": domain["name"]}}
    admin.call("DELETE", f"{V3}/roles/{role['id']}")
    assert admin.get(f"{V3}/role_assignments?user.id={user['id']}").body["role_assignments"] == []


def test_a_grant_names_what_exists(admin: Client) -> None:
    user, project = make(admin, "user"), make(admin, "project")
    place = f"{V3}/projects/{project['id']}/users/{user['id']}/roles/none"
    assert admin.call("PUT", place).status == 404


def test_a_domain_admin_makes_users_in_his_domain(anybody: Client, admin: Client) -> None:
    [domain] = admin.get(f"{V3}/domains?name=heat").body["domains"]
    user = {"name": "heat_domain_admin", "password": "secret", "domain": {"name": "heat"}}
    identity = {"methods": ["password"], "password": {"user": user}}
    keeper = anybody.bearer_of(identity, {"domain": {"id": domain["id"]}})
    made = keeper.call("POST", f"{V3}/users", {"user": {"name": uuid4().hex}}).body["user"]
    assert made["domain_id"] == domain["id"]


def test_regions_services_and_endpoints_can_be_added(admin: Client, demo: Client) -> None:
    kind = uuid4().hex
    service = {"type": kind, "name": "thing"}
    service_id = admin.call("POST", f"{V3}/services", {"service": service}).body["service"]["id"]
    region = f"r-{kind}"
    assert admin.call("PUT", f"{V3}/regions/{region}", {"region": {}}).status == 201
    assert admin.call("PUT", f"{V3}/regions/{region}", {"region": {}}).status == 409
    wanted = {"interface": "public", "service_id": service_id, "region_id": region}
    endpoint = {**wanted, "url": "http://127.0.0.1:1/%(project_id)s"}
    made = admin.call("POST", f"{V3}/endpoints", {"endpoint": endpoint}).body["endpoint"]
    [seen] = [each for each in demo.me()["catalog"] if each["type"] == kind]
    project = demo.me()["project"]["id"]
    assert seen["endpoints"][0]["url"] == f"http://127.0.0.1:1/{project}"
    assert admin.call("DELETE", f"{V3}/regions/{region}").status == 403
    assert admin.call("DELETE", f"{V3}/services/{service_id}").status == 204
    assert admin.get(f"{V3}/endpoints/{made['id']}").status == 404
    assert admin.call("DELETE", f"{V3}/regions/{region}").status == 204


@pytest.mark.filterwarnings("ignore:::openstack.*")  # it warns of its own ways
def test_openstacksdk_manages_accounts(connect: Connect) -> None:
    cloud = connect("admin")
    project = cloud.identity.create_project(name=uuid4().hex, domain_id="default")
    user = cloud.identity.create_user(name=uuid4().hex, password="pw")
    role = cloud.identity.find_role("member", ignore_missing=False)
    cloud.identity.assign_project_role_to_user(project, user, role)
    assert cloud.identity.validate_user_has_project_role(project, user, role)
    assert cloud.identity.find_project(project.name, ignore_missing=False).id == project.id
    found = list(cloud.identity.role_assignments(user_id=user.id, include_names=True))
    assert [each.role["name"] for each in found] == ["member"]
    cloud.identity.delete_user(user)
    cloud.identity.delete_project(project)
    assert list(cloud.identity.users(name=user.name)) == []
