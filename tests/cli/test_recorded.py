"""What a real Heat has answered, read by the parts that read answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stoker.cli.answer import Answer
from stoker.cli.cause import first_cause
from stoker.cli.nesting import linked
from stoker.cli.options import Output
from stoker.cli.preview import preview
from stoker.cli.progress import State
from tests.cli.rows import looked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def recorded(shared: Path) -> Any:
    """Return what gives the JSON of a recorded answer by the number of its file."""

    def answer(number: str) -> Any:
        (path,) = (shared / "facts" / "http").glob(f"{number}-*.txt")
        text = path.read_text(encoding="utf-8").partition("----- response -----")[2]
        return json.loads(text.partition("\n\n")[2])

    return answer


def test_a_tree_of_resources_is_read(recorded: Any) -> None:
    progress = looked("CREATE", recorded("030")["resources"])
    paths = [item.path for item in progress.ordered()]
    assert paths == ["grp", "grp.0", "grp.1", "rs", "tr", "val"]
    assert progress.items["val",].needs == (("rs",),)
    assert progress.count(State.DONE) == 6


def test_a_failure_s_first_cause_is_found_in_resources_and_events(recorded: Any) -> None:
    progress = looked("CREATE", recorded("097")["resources"])
    stack = recorded("096")["stack"]
    reason = "ValueError: resources.a: Test Resource failed a"
    events = sorted(recorded("098")["events"], key=lambda event: event["event_time"])
    for known in (events, []):
        cause = first_cause(known, progress, stack)
        assert (cause.path, cause.status, cause.reason) == ("a", "CREATE_FAILED", reason)
    assert progress.waits() == {("b",): (("a",),)}


def test_a_rollback_does_not_hide_the_first_cause(recorded: Any) -> None:
    events = recorded("102")["events"][::-1]
    cause = first_cause(events, looked("CREATE"), recorded("101")["stack"])
    assert cause.status == "CREATE_FAILED"
    assert "failed" in cause.reason


def test_a_stack_s_own_events_are_known_from_its_resources(recorded: Any) -> None:
    events = recorded("045")["events"]
    own = [each for each in events if each["physical_resource_id"] == linked(each, "stack")]
    assert {each["resource_name"].count("-") for each in own} == {1, 3}  # its own, the group's
    assert len(own) < len(events)


def test_previews_are_read(recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    preview({"added": recorded("003")["stack"]["resources"]}, Answer(Output.JSON))
    added = json.loads(capsys.readouterr().out)["added"]
    assert {each["path"] for each in added} >= {"grp.0", "grp.1", "rs", "val", "tr"}
    preview(recorded("060")["resource_changes"], Answer(Output.JSON))
    changes = json.loads(capsys.readouterr().out)
    assert {"path": "grp", "type": "OS::Heat::ResourceGroup"} in changes["updated"]
