from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import Conflict, LimitExceeded, NotFound, Unsupported
from tests.api.fake import A_SNAPSHOT, ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

URL = f"/v1/{PROJECT}/stacks/cap/{ID}/snapshots"
ONE = f"{URL}/{A_SNAPSHOT.id}"
SHOWN = {
    "id": A_SNAPSHOT.id,
    "name": "snap1",
    "action": "CREATE",
    "status": "COMPLETE",
    "status_reason": "Stack SNAPSHOT completed successfully",
    "data": {"name": "cap", "resources": {}},
    "creation_time": "2026-11-29T12:39:24Z",
}


@pytest.mark.parametrize("name", [None, "snap1"])
def test_a_snapshot_that_is_accepted_is_shown(
    call: Client, stacks: FakeStacks, name: str | None
) -> None:
    answer = call("POST", URL, {} if name is None else {"name": name})
    began = {"name": name, "status": "IN_PROGRESS", "status_reason": None}
    assert (answer.status, answer.json) == (200, {**SHOWN, **began})
    assert stacks.asked[-1][2:] == (STACK, name)


def test_snapshots_are_listed_and_shown(call: Client) -> None:
    assert call("GET", URL).json == {"snapshots": [SHOWN]}
    assert call("GET", ONE).json == {"snapshot": SHOWN}


def test_one_is_deleted_and_gone_back_to(call: Client, stacks: FakeStacks) -> None:
    answer = call("DELETE", ONE)
    assert (answer.status, answer.data) == (204, b"")
    answer = call("POST", f"{ONE}/restore")
    assert (answer.status, answer.json["code"]) == (202, "202 Accepted")
    assert [(asked[0], asked[3]) for asked in stacks.asked] == [
        ("forget_snapshot", A_SNAPSHOT.id), ("restore", A_SNAPSHOT.id),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "status", "type", "text"),
    [
        (NotFound("Snapshot", "x"), 404, "NotFound", "Snapshot with id x not found"),
        (Conflict("busy"), 409, "ActionInProgress", "busy"),
        (Unsupported("not now"), 400, "NotSupported", "not now"),
        (LimitExceeded("32"), 400, "RequestLimitExceeded", "Request limit exceeded: 32"),
    ],
    ids=["unknown", "busy", "incomplete", "many"],
)
def test_refusals_are_heats(
    call: Client, stacks: FakeStacks, error: Exception, status: int, type: str, text: str
) -> None:
    stacks.error = error
    answer = call("POST", URL, {})
    assert (answer.status, answer.error["type"], answer.error["message"]) == (status, type, text)


def test_a_name_is_text(call: Client) -> None:
    assert call("POST", URL, {"name": 1}).status == 400


def test_a_body_is_needed(call: Client) -> None:
    assert call("POST", URL).status == 400
