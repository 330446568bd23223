from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from stoker.errors import CloudError
from stoker.resources.nova.server_rest import RESUME, SUSPEND, checked, due

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud


class Asked:
    """A cloud that takes actions and does nothing about them."""

    def __init__(self) -> None:
        self.actions: list[Any] = []
        self.compute = self

    def post(self, path: str, body: Any) -> None:
        self.actions.append((path, body))


def server(status: str, task: str | None = None) -> dict[str, Any]:
    return {"id": "s1", "status": status, "OS-EXT-STS:task_state": task}


def test_it_is_asked_once_while_it_is_on_its_way() -> None:
    asked = Asked()
    cloud = cast("Cloud", asked)
    first = due(SUSPEND, server("ACTIVE"), {}, cloud)
    assert first is not None
    assert asked.actions == [("/servers/s1/action", {"suspend": None})]
    second = due(SUSPEND, server("ACTIVE", "suspending"), first.data or {}, cloud)
    assert second is not None
    assert due(SUSPEND, server("SUSPENDED"), second.data or {}, cloud) is None
    assert len(asked.actions) == 1


def test_one_that_goes_back_to_where_it_was_fails() -> None:
    cloud = cast("Cloud", Asked())
    data: Any = {"asked": True}
    for _ in range(5):
        step = due(RESUME, server("SUSPENDED"), data, cloud)
        assert step is not None
        data = step.data
    with pytest.raises(CloudError, match="was to resume, and is SUSPENDED again"):
        due(RESUME, server("SUSPENDED"), data, cloud)
    assert cast("Asked", cloud).actions == []


@pytest.mark.parametrize("status", ["BUILD", "REBOOT", "MIGRATING"])
def test_a_check_waits_for_one_that_moves(status: str) -> None:
    assert checked(server(status), {}) is not None
    assert checked(server("ACTIVE", "rebooting"), {}) is not None
    assert checked(server("ACTIVE"), {}) is None


@pytest.mark.parametrize("status", ["SHUTOFF", "PAUSED", "SUSPENDED", "ERROR", "DELETED"])
def test_a_check_fails_one_that_does_not_run(status: str) -> None:
    with pytest.raises(CloudError, match=status):
        checked(server(status), {})
