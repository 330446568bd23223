from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api.fake import AN_ENGINE, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

SERVICES = f"/v1/{PROJECT}/services"


def test_engines_are_listed_up_or_down(admin: Client) -> None:
    up, down = admin("GET", SERVICES).json["services"]
    assert up == {
        "id": AN_ENGINE.id,
        "binary": "stoker-engine",
        "engine_id": AN_ENGINE.id,
        "host": "vm",
        "hostname": "vm",
        "topic": "engine",
        "report_interval": 2,
        "created_at": "2026-11-29T12:39:24.987654",
        "updated_at": "2026-11-29T12:39:24.987654",
        "deleted_at": None,
        "status": "up",
    }
    assert (down["deleted_at"], down["status"]) == ("2026-11-29T12:39:24.987654", "down")


def test_only_an_administrator_sees_engines(call: Client, stacks: FakeStacks) -> None:
    answer = call("GET", SERVICES)
    assert answer.status == 403
    assert answer.error["message"] == "You are not authorized to use service:index."
    assert stacks.asked == []
