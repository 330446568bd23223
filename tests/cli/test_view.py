"""Where progress is shown."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from stoker.cli.operation import Sight
from stoker.cli.view import Lines, Nowhere, Picture, view_on
from tests.cli.rows import looked, row

if TYPE_CHECKING:
    from stoker.cli.view import View

WORKING = [row("a", "CREATE_IN_PROGRESS")]
DONE = [row("a", "CREATE_COMPLETE")]


def sight(*looks: list[dict[str, Any]], now: float = 1.0, silent: str = "") -> Sight:
    status = "COMPLETE" if looks[-1] is DONE else "IN_PROGRESS"
    return Sight({"stack_status": f"CREATE_{status}"}, looked("CREATE", *looks), now, silent)


def shown(*sights: Sight, terminal: bool = False) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=90, height=20)
    with view_on(console, "CREATE n") as on:
        for each in sights:
            on.show(each)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_each_move_is_a_line_without_control_characters() -> None:
    text = shown(sight(WORKING), sight(WORKING), sight(WORKING, DONE))
    assert [line.split()[-1] for line in text.splitlines()] == [
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
    ]
    assert "\x1b" not in text


def test_a_terminal_has_a_picture_with_all_as_it_is_at_the_end() -> None:
    text = shown(sight(WORKING), sight(WORKING, DONE), terminal=True)
    assert "\x1b" in text
    assert "CREATE_COMPLETE" in text.splitlines()[-2]


def test_a_terminal_that_cannot_move_its_cursor_has_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    console = Console(file=io.StringIO(), force_terminal=True)
    assert isinstance(view_on(console, "n"), Lines)


def test_colours_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in shown(sight(WORKING, DONE), terminal=True)
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[32m" in shown(sight(WORKING, DONE), terminal=True)


@pytest.mark.parametrize("terminal", [False, True])
def test_that_the_service_is_silent_is_told(*, terminal: bool) -> None:
    text = shown(sight(WORKING), sight(WORKING, silent="refused"), terminal=terminal)
    assert "no answer, asking again: refused" in text


def test_silence_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(*(sight(WORKING, silent="refused") for _ in range(3)))
    assert text.count("refused") == 1


def test_that_it_still_goes_on_is_told_now_and_then() -> None:
    times = (1.0, 20.0, 40.0, 41.0)
    text = shown(*(sight(WORKING, now=now) for now in times))
    assert text.splitlines()[1:] == ["  0/1 after 40.0 s: a (40.0 s)"]


def test_clocks_go_on_between_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: moment[0])
    console = Console(file=io.StringIO(), force_terminal=True, width=90)
    picture = Picture(console, "CREATE n")
    picture.show(sight(WORKING, now=1.0))
    moment[0] += 2.5
    with console.capture() as drawn:
        console.print(picture.drawn())
    assert "3.5 s" in drawn.get()


def test_nowhere_shows_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    on: View = Nowhere()
    with on:
        on.show(sight(WORKING))
    assert capfd.readouterr() == ("", "")
