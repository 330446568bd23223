"""Application credentials."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from stoker.devcloud.server import Server
from tests.devcloud.client import Client
from tests.devcloud.conftest import connected


def place(client: Client) -> str:
    return f"/identity/v3/users/{client.me()['user']['id']}/application_credentials"


def make(client: Client, **fields: Any) -> dict[str, Any]:
    wanted = {"name": uuid4().hex, **fields}
    answer = client.call("POST", place(client), {"application_credential": wanted})
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.body["application_credential"]
    return made


def bearer(anybody: Client, credential: dict[str, Any]) -> Client:
    given = {"id": credential["id"], "secret": credential["secret"]}
    return anybody.bearer_of(
        {"methods": ["application_credential"], "application_credential": given}
    )


def test_the_secret_is_shown_once(demo: Client) -> None:
    made = make(demo)
    shown = demo.get(f"{place(demo)}/{made['id']}").body["application_credential"]
    assert {**shown, "secret": made["secret"]} == made
    listed = demo.get(f"{place(demo)}?name={made['name']}").body["application_credentials"]
    assert listed == [shown]


def test_it_gives_its_user_in_its_project_with_its_roles(demo: Client, anybody: Client) -> None:
    made = make(demo, roles=[{"name": "reader"}], secret="chosen")
    token = bearer(anybody, {**made, "secret": "chosen"}).me()
    assert (token["user"]["name"], token["project"]["name"]) == ("demo", "demo")
    assert [role["name"] for role in token["roles"]] == ["reader"]
    assert token["application_credential"] == {
        "id": made["id"],
        "name": made["name"],
        "restricted": True,
    }


@pytest.mark.filterwarnings("ignore:::openstack.*")  # it warns of its own ways
def test_openstacksdk_logs_in_with_it(demo: Client, cloud: Server) -> None:
    made = make(demo)
    with connected(
        auth_type="v3applicationcredential",
        auth_url=cloud.auth_url,
        application_credential_id=made["id"],
        application_credential_secret=made["secret"],
    ) as connection:
        assert connection.image.find_image("ubuntu-24.04", ignore_missing=False).status == "active"


@pytest.mark.parametrize(("unrestricted", "status"), [(False, 403), (True, 201)])
def test_a_restricted_one_breeds_neither_trusts_nor_its_like(
    demo: Client,
    anybody: Client,
    unrestricted: bool,  # noqa: FBT001
    status: int,
) -> None:
    own = bearer(anybody, make(demo, unrestricted=unrestricted))
    wanted = {"application_credential": {"name": uuid4().hex}}
    assert own.call("POST", place(demo), wanted).status == status
    me = demo.me()
    trust = {
        "trustor_user_id": me["user"]["id"],
        "trustee_user_id": anybody.user("heat", "service").me()["user"]["id"],
        "project_id": me["project"]["id"],
        "impersonation": True,
        "roles": [{"name": "member"}],
    }
    assert own.call("POST", "/identity/v3/OS-TRUST/trusts", {"trust": trust}).status == status


def test_names_are_taken_once_and_roles_must_be_held(demo: Client) -> None:
    made = make(demo)
    again = {"application_credential": {"name": made["name"]}}
    assert demo.call("POST", place(demo), again).status == 409
    greedy = {"application_credential": {"name": uuid4().hex, "roles": [{"name": "admin"}]}}
    assert demo.call("POST", place(demo), greedy).status == 400


def test_a_deleted_one_and_its_tokens_are_void(demo: Client, anybody: Client) -> None:
    made = make(demo)
    own = bearer(anybody, made)
    assert own.get("/image/v2/images").status == 200
    assert demo.call("DELETE", f"{place(demo)}/{made['id']}").status == 204
    assert own.get("/image/v2/images").status == 401
    given = {"id": made["id"], "secret": made["secret"]}
    identity = {"methods": ["application_credential"], "application_credential": given}
    assert anybody.authenticate(identity).status == 401


def test_they_are_their_users_own(demo: Client, admin: Client) -> None:
    wanted = {"application_credential": {"name": uuid4().hex}}
    assert admin.call("POST", place(demo), wanted).status == 403
    assert demo.get(place(admin)).status == 403
