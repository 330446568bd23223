"""Trusts: made, used, handed on, ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.devcloud.client import Answer, Client, by_password

TRUSTS = "/identity/v3/OS-TRUST/trusts"


@dataclass(frozen=True)
class Sides:
    """A trustor (demo) and a trustee (the service user heat)."""

    anybody: Client
    trustor: Client
    trustee: Client

    def create(self, trustor: Client | None = None, **fields: Any) -> Answer:
        giver = trustor or self.trustor
        me = giver.me()
        wanted = {
            "trustor_user_id": me["user"]["id"],
            "trustee_user_id": self.trustee.me()["user"]["id"],
            "project_id": me["project"]["id"],
            "impersonation": True,
            "roles": [{"id": role["id"]} for role in me["roles"]],
            **fields,
        }
        return giver.call("POST", TRUSTS, {"trust": wanted})

    def made(self, **fields: Any) -> dict[str, Any]:
        answer = self.create(**fields)
        assert answer.status == 201, answer.body
        trust: dict[str, Any] = answer.body["trust"]
        return trust

    def token(self, trust: dict[str, Any], user: str = "heat") -> Answer:
        scope = {"OS-TRUST:trust": {"id": trust["id"]}}
        return self.anybody.authenticate(by_password(user), scope)

    def bearer(self, trust: dict[str, Any]) -> Client:
        return self.anybody.with_token(self.token(trust).headers["X-Subject-Token"])


@pytest.fixture
def sides(anybody: Client, demo: Client) -> Sides:
    """Return the two sides of a trust."""
    return Sides(anybody, demo, anybody.user("heat", "service"))


def test_a_trustee_acts_as_the_trustor_with_the_trusts_roles(sides: Sides) -> None:
    trust = sides.made(roles=[{"name": "member"}])
    token = sides.token(trust).body["token"]
    assert token["user"]["name"] == "demo"
    assert token["project"]["name"] == "demo"
    assert [role["name"] for role in token["roles"]] == ["member", "reader"]
    assert token["OS-TRUST:trust"]["trustee_user"] == {"id": trust["trustee_user_id"]}
    assert token["OS-TRUST:trust"]["impersonation"] is True


def test_without_impersonation_the_trustee_stays_himself(sides: Sides) -> None:
    token = sides.token(sides.made(impersonation=False)).body["token"]
    assert (token["user"]["name"], token["project"]["name"]) == ("heat", "demo")


def test_both_sides_see_a_trust_and_nobody_else(sides: Sides, admin: Client) -> None:
    trust = sides.made()
    place = f"{TRUSTS}/{trust['id']}"
    for side in (sides.trustor, sides.trustee, admin):
        assert side.get(place).body["trust"] == trust
    assert [role["id"] for role in sides.trustor.get(f"{place}/roles").body["roles"]] == [
        role["id"] for role in trust["roles"]
    ]
    listed = sides.trustor.get(f"{TRUSTS}?trustor_user_id={trust['trustor_user_id']}")
    assert trust["id"] in {each["id"] for each in listed.body["trusts"]}
    assert sides.trustor.get(TRUSTS).status == 403


def test_a_deleted_trust_ends_its_tokens_and_gives_no_more(sides: Sides) -> None:
    trust = sides.made()
    bearer = sides.bearer(trust)
    assert bearer.get("/image/v2/images").status == 200
    assert sides.trustor.call("DELETE", f"{TRUSTS}/{trust['id']}").status == 204
    assert bearer.get("/image/v2/images").status == 401
    assert sides.token(trust).status == 401
    assert sides.trustor.get(f"{TRUSTS}/{trust['id']}").status == 404
    assert sides.trustor.call("DELETE", f"{TRUSTS}/{trust['id']}").status == 404


def test_only_the_trustee_uses_a_trust(sides: Sides) -> None:
    assert sides.token(sides.made(), user="demo").status == 403


def test_nobody_gives_what_is_not_his(sides: Sides, admin: Client) -> None:
    others = admin.me()
    assert sides.create(trustor_user_id=others["user"]["id"]).status == 403
    [role] = admin.get("/identity/v3/roles?name=admin").body["roles"]
    assert sides.create(roles=[{"id": role["id"]}]).status == 404
    assert sides.create(roles=[{"name": "no such role"}]).status == 404
    assert sides.create(roles=[]).status == 403
    assert sides.create(trustee_user_id="none").status == 404


@pytest.mark.parametrize("expires_at", ["2001-01-01T00:00:00.000000Z", "soon"])
def test_an_expiry_is_a_moment_to_come(sides: Sides, expires_at: str) -> None:
    assert sides.create(expires_at=expires_at).status == 400


def test_a_token_ends_no_later_than_its_trust(sides: Sides) -> None:
    trust = sides.made(expires_at="2999-01-01T00:00:00.000000Z")
    assert trust["expires_at"] == "2999-01-01T00:00:00.000000Z"
    assert sides.token(trust).status == 201


def test_a_trust_is_used_as_often_as_it_allows(sides: Sides) -> None:
    trust = sides.made(remaining_uses=1)
    assert sides.token(trust).status == 201
    assert sides.token(trust).status == 403


def test_a_trusts_token_is_neither_rescoped_nor_handed_on(sides: Sides) -> None:
    bearer = sides.bearer(sides.made())
    identity = {"methods": ["token"], "token": {"id": bearer.token}}
    assert sides.anybody.authenticate(identity, "unscoped").status == 403
    assert sides.create(trustor=bearer).status == 403


def test_a_redelegated_trust_ends_with_its_parent(sides: Sides) -> None:
    trust = sides.made(allow_redelegation=True, redelegation_count=1)
    child = sides.create(trustor=sides.bearer(trust), allow_redelegation=True).body["trust"]
    assert child["redelegated_trust_id"] == trust["id"]
    assert child["redelegation_count"] == 0
    assert sides.create(trustor=sides.bearer(child)).status == 403
    sides.trustor.call("DELETE", f"{TRUSTS}/{trust['id']}")
    assert sides.trustor.get(f"{TRUSTS}/{child['id']}").status == 404


def test_a_trust_whose_role_the_trustor_lost_gives_no_token(sides: Sides, admin: Client) -> None:
    name = uuid4().hex
    role = admin.call("POST", "/identity/v3/roles", {"role": {"name": name}}).body["role"]
    me = sides.trustor.me()
    target = f"/identity/v3/projects/{me['project']['id']}/users/{me['user']['id']}"
    admin.call("PUT", f"{target}/roles/{role['id']}")
    trust = sides.create(trustor=sides.anybody.user("demo"), roles=[{"name": name}]).body["trust"]
    bearer = sides.bearer(trust)
    admin.call("DELETE", f"{target}/roles/{role['id']}")
    assert bearer.get("/image/v2/images").status == 401
    assert sides.token(trust).status == 403
