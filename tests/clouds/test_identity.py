"""Keystone: a token for a signed request, and whose it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stoker.errors import CloudError
from tests.clouds import wire as wires
from tests.clouds.wire import token_body, wired

SIGNED = {"access": "key", "signature": "s"}
REFUSED = (401, {"error": {"code": 401, "message": "Invalid EC2 signature.", "title": "no"}})


def granted(number: int, **more: Any) -> tuple[int, Any, dict[str, str]]:
    body = token_body(number)
    body["token"] |= more
    return 200, body, {"X-Subject-Token": f"granted-{number}"}


def test_who_has_signed_gets_a_token_of_his_own() -> None:
    cloud, wire = wired(lambda *_: granted(7, is_admin_project=False))
    token, whose = cloud.identity.ec2_token(SIGNED)
    assert (token, whose.user_name, whose.project_id, whose.roles) == (
        "granted-7", "ann", "p-id", ("member",),
    )  # fmt: skip
    assert whose.in_admin_project is False
    assert wire.sent == [("POST", "/identity/v3/ec2tokens")]
    assert wire.requests[0].headers["X-Auth-Token"] == "token-1"
    assert '"ec2Credentials":{"access":"key"' in str(wire.requests[0].body)


@pytest.mark.parametrize(("is_old", "asked"), [(True, 2), (False, 1)])
def test_only_an_old_token_of_ours_is_renewed_when_a_signature_is_refused(
    monkeypatch: pytest.MonkeyPatch, is_old: object, asked: int
) -> None:
    if not is_old:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        body = token_body(1)
        body["token"]["issued_at"] = now
        monkeypatch.setattr(wires, "token_body", lambda _number: body)
    cloud, wire = wired(lambda *_: REFUSED)
    with pytest.raises(CloudError, match="Invalid EC2 signature"):
        cloud.identity.ec2_token(SIGNED)
    assert (wire.tokens, len(wire.sent)) == (asked, asked)


def test_an_answer_without_a_token_is_none() -> None:
    cloud, _ = wired(lambda *_: (200, token_body(1)))
    with pytest.raises(CloudError) as caught:
        cloud.identity.ec2_token(SIGNED)
    assert caught.value.status == 502
