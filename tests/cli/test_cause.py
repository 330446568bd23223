"""The first thing that went wrong, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.cli.cause import Cause, first_cause, place_in_text, place_of
from stoker.cli.gather import Gathered, gathered
from tests.cli.rows import event, looked, row

if TYPE_CHECKING:
    from pathlib import Path

STACK = {"stack_status": "CREATE_FAILED", "stack_status_reason": "Timed out"}
TREE = [
    row("grp", "CREATE_FAILED", nested="g", resource_status_reason="resources.grp: no room"),
    row("0", "CREATE_FAILED", within="g", nested="z", resource_status_reason="zero: no room"),
    row("server", "CREATE_FAILED", within="z", resource_status_reason="no room"),
    row("net", "CREATE_COMPLETE"),
]
EVENTS = [
    event("stack", "CREATE_IN_PROGRESS", of="root-id"),
    event("grp", "CREATE_IN_PROGRESS", of="g"),
    event("server", "CREATE_FAILED", within="z", of="s", reason="no room"),
    event("0", "CREATE_FAILED", within="g", of="z", reason="zero: no room"),
    event("some-stack", "CREATE_FAILED", within="z", of="z", reason="Resource CREATE failed"),
    event("grp", "CREATE_FAILED", of="g", reason="resources.grp: no room"),
    event("stack", "CREATE_FAILED", of="root-id", reason="Resource CREATE failed"),
]


def told(cause: Cause) -> tuple[str, str]:
    return cause.path, cause.reason


def test_it_is_where_the_failure_arose() -> None:
    cause = first_cause(EVENTS, looked("CREATE", TREE), STACK)
    assert told(cause) == ("grp.0.server", "no room")
    assert cause.type == "OS::Heat::Value"


def test_the_order_of_equal_times_does_not_matter() -> None:
    cause = first_cause(EVENTS[::-1], looked("CREATE", TREE), STACK)
    assert told(cause) == ("grp.0.server", "no room")


def test_events_alone_tell_it_after_all_was_rolled_back() -> None:
    assert told(first_cause(EVENTS, looked("CREATE", TREE, []), STACK))[0] == "grp.0.server"


def test_without_events_what_was_seen_tells_it() -> None:
    assert told(first_cause([], looked("CREATE", TREE), STACK)) == ("grp.0.server", "no room")


def test_of_two_failures_it_is_the_first() -> None:
    events = [event("b", "CREATE_FAILED", reason="1"), event("a", "CREATE_FAILED", reason="2")]
    assert told(first_cause(events, looked("CREATE"), STACK)) == ("b", "1")


def test_what_was_only_stopped_is_no_cause() -> None:
    stopped = event("a", "CREATE_FAILED", reason="CREATE aborted (user triggered cancel)")
    failed = event("b", "CREATE_FAILED", reason="no room")
    assert told(first_cause([stopped, failed], looked("CREATE"), STACK)) == ("b", "no room")
    assert told(first_cause([stopped], looked("CREATE"), STACK))[0] == "a"


def test_a_signal_that_failed_is_no_cause() -> None:
    signalled = event("a", "SIGNAL_FAILED", reason="not understood")
    failed = event("b", "CREATE_FAILED", reason="no room")
    assert told(first_cause([signalled, failed], looked("CREATE"), STACK)) == ("b", "no room")


def test_a_stack_may_fail_by_itself() -> None:
    cause = first_cause([], looked("CREATE", [row("a", "CREATE_COMPLETE")]), STACK)
    assert (cause.key, cause.status, cause.reason) == ((), "CREATE_FAILED", "Timed out")


@pytest.fixture
def source(tmp_path: Path) -> Gathered:
    head = "heat_template_version: 2018-08-31\nresources:\n"
    (tmp_path / "leaf.yaml").write_text(head + "  x: {type: T}\n\n  server:\n    type: T\n")
    (tmp_path / "t.yaml").write_text(
        head
        + """\
  plain: {type: T, properties: {size: 1}}
  direct: {type: leaf.yaml}
  mapped: {type: My::Leaf}
  grp: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: leaf.yaml}}}
"""
    )
    (tmp_path / "e.yaml").write_text("resource_registry: {'My::Leaf': leaf.yaml}\n")
    return gathered(str(tmp_path / "t.yaml"), (str(tmp_path / "e.yaml"),))


def spot(source: Gathered, tmp_path: Path, *key: str) -> str:
    leaf = (tmp_path / "leaf.yaml").as_uri()
    rows = [
        row("direct", "X", nested="d") | {"resource_type": leaf},
        row("mapped", "X", nested="m") | {"resource_type": "My::Leaf"},
        row("grp", "X", nested="g"),
        row("0", "X", within="g", nested="z") | {"resource_type": leaf},
        row("other", "X", nested="o"),
    ]
    return str(place_of(key, looked("CREATE", rows), source)).rpartition("/")[2]


def test_a_place_is_in_the_template_that_has_the_resource(source: Gathered, tmp_path: Path) -> None:
    assert spot(source, tmp_path, "plain") == "t.yaml:3:3"
    assert spot(source, tmp_path, "direct", "server") == "leaf.yaml:5:3"
    assert spot(source, tmp_path, "mapped", "server") == "leaf.yaml:5:3"
    assert spot(source, tmp_path, "grp", "0", "server") == "leaf.yaml:5:3"


def test_where_no_file_tells_it_is_what_holds_it(source: Gathered, tmp_path: Path) -> None:
    assert spot(source, tmp_path, "grp", "0") == "t.yaml:6:3"
    assert spot(Gathered(), tmp_path, "plain") == "None"
    assert place_of((), looked("CREATE"), source) is None


@pytest.mark.parametrize(
    ("text", "spot"),
    [
        ("Property error: : resources.plain.properties.size: : Value '1' is", "t.yaml:3:33"),
        ("resources.plain.properties.nope: is unknown", "t.yaml:3:20"),
        ("resources.plain: bad, as resources.plain.properties.size is", "t.yaml:3:33"),
        ("The Stack (x) could not be found.", "None"),
    ],
)
def test_a_message_s_path_is_found_in_the_template(text: str, spot: str, source: Gathered) -> None:
    assert str(place_in_text(text, source)).rpartition("/")[2] == spot
    assert place_in_text(text, Gathered()) is None
