"""Following an operation, on a stack that a test plays."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from stoker.cli import watch
from stoker.cli.progress import Progress
from stoker.cli.watch import Failed, follow
from stoker.errors import CloudError

if TYPE_CHECKING:
    from stoker.cli.endpoint import Json

GONE = CloudError("gone", service="orchestration", status=404)


class Played:
    """Shows one scene after the other: the stack's status and its resources' statuses."""

    def __init__(self, *scenes: tuple[str, dict[str, str]] | CloudError) -> None:
        self._scenes = list(scenes)

    def stack(self, name: str, id: str) -> Json:
        scene = self._scenes[0]
        if isinstance(scene, CloudError):
            raise scene
        return {"stack_status": scene[0], "stack_status_reason": "because"}

    def resources(self, name: str, id: str) -> list[Json]:
        scene = self._scenes.pop(0)
        if isinstance(scene, CloudError):
            raise scene
        return [_row(name, status) for name, status in scene[1].items()]


def _row(name: str, status: str) -> dict[str, Any]:
    return {
        "resource_name": name,
        "resource_type": "T",
        "resource_status": status,
        "required_by": [],
    }


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.0)


def followed(source: Played, action: str = "CREATE", *, terminal: bool = False) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    follow(source, "n", "i", Progress(action, {}), console)
    return out.getvalue().splitlines()


def test_each_move_is_a_line_until_all_is_done() -> None:
    played = Played(
        ("CREATE_IN_PROGRESS", {"a": "CREATE_IN_PROGRESS", "b": "INIT_COMPLETE"}),
        ("CREATE_IN_PROGRESS", {"a": "CREATE_IN_PROGRESS", "b": "CREATE_IN_PROGRESS"}),
        ("CREATE_COMPLETE", {"a": "CREATE_COMPLETE", "b": "CREATE_COMPLETE"}),
    )
    assert [(line.split()[1], line.split()[-1]) for line in followed(played)] == [
        ("a", "CREATE_IN_PROGRESS"),
        ("b", "CREATE_IN_PROGRESS"),
        ("a", "CREATE_COMPLETE"),
        ("b", "CREATE_COMPLETE"),
    ]


def test_a_terminal_shows_the_graph_as_it_is_at_the_end() -> None:
    played = Played(
        ("CREATE_IN_PROGRESS", {"a": "CREATE_IN_PROGRESS"}),
        ("CREATE_COMPLETE", {"a": "CREATE_COMPLETE"}),
    )
    lines = followed(played, terminal=True)
    assert "CREATE_COMPLETE" in lines[-2] + lines[-1]


@pytest.mark.parametrize("status", ["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"])
def test_a_failure_is_raised_with_its_reason(status: str) -> None:
    played = Played(("CREATE_IN_PROGRESS", {}), (status, {"a": "CREATE_FAILED"}))
    with pytest.raises(Failed, match=f"n is {status}: because"):
        followed(played)


def test_the_end_of_the_operation_before_is_not_taken_for_this_one() -> None:
    played = Played(("CREATE_COMPLETE", {"a": "CREATE_COMPLETE"}), ("DELETE_COMPLETE", {}))
    assert [line.split()[-1] for line in followed(played, "DELETE")] == ["DELETE_COMPLETE"]


def test_a_stack_that_is_not_found_any_more_is_deleted() -> None:
    played = Played(("DELETE_IN_PROGRESS", {"a": "DELETE_IN_PROGRESS"}), GONE)
    assert [line.split()[-1] for line in followed(played, "DELETE")] == [
        "DELETE_IN_PROGRESS",
        "DELETE_COMPLETE",
    ]


def test_another_error_of_the_service_is_raised() -> None:
    with pytest.raises(CloudError, match="broken"):
        followed(Played(CloudError("broken", service="orchestration", status=500)))


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", -1.0)
    with pytest.raises(Failed, match="still CREATE_IN_PROGRESS"):
        followed(Played(("CREATE_IN_PROGRESS", {})))
