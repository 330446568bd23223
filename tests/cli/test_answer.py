"""How answers stand on a terminal, and where nobody sees them."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from stoker.cli.answer import Answer
from stoker.cli.history import Teller
from stoker.cli.options import Output

ID = "7689d55a-9176-4100-b744-c9c815a471a4"
REASON = f"Unable to complete operation for network {ID}. The IP address 10.1.0.9 is in use."
ROWS = [("green", ("✔", "web", "CREATE_COMPLETE", ID)), ("red", ("✘", "db", "FAILED", ID))]
HEAD = ("", "name", "status", "id")


class Screen:
    """An answer and what it has printed; ``width`` None is no terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, width: int | None) -> None:
        self._file = io.StringIO()
        console = Console(
            file=self._file,
            width=width or 80,
            force_terminal=width is not None,
            color_system=None,
            highlight=False,
        )
        monkeypatch.setattr("stoker.cli.answer.Console", lambda **_: console)
        self.answer = Answer(Output.TEXT)

    @property
    def lines(self) -> list[str]:
        return self._file.getvalue().splitlines()


def test_a_terminal_breaks_an_explanation_so_that_it_stays_beside_its_title(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen(monkeypatch, 80)
    screen.answer.explain("First cause", REASON)
    first, *others = screen.lines
    assert first.startswith("  First cause  Unable to complete")
    assert all(line.startswith(" " * 15) and line[15] != " " for line in others)
    assert all(len(line) <= 80 for line in screen.lines)
    assert any(ID in line for line in screen.lines)  # so that it can be copied


def test_where_there_is_no_room_beside_it_a_text_begins_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen(monkeypatch, 40)
    screen.answer.beside("a" * 30 + "  ", REASON)
    assert screen.lines[0] == "a" * 30
    assert screen.lines[1].startswith(" " * 15 + "Unable")
    assert max(map(len, screen.lines)) <= 15 + 25


def test_without_a_terminal_a_text_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, None)
    screen.answer.explain("First cause", REASON)
    assert screen.lines == [f"  First cause  {REASON}"]


def test_the_spare_column_is_left_out_before_a_line_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide, narrow, none = (Screen(monkeypatch, width) for width in (80, 40, None))
    for each in (wide, narrow, none):
        each.answer.columns(ROWS, HEAD, spare=True)
    assert [ID in line for line in wide.lines] == [False, True, True]
    assert wide.lines == none.lines
    assert narrow.lines == ["   name  status", "✔  web   CREATE_COMPLETE", "✘  db    FAILED"]


def test_a_line_that_is_too_long_is_cut_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    narrow, none = Screen(monkeypatch, 30), Screen(monkeypatch, None)
    for each in (narrow, none):
        each.answer.columns(ROWS)
    assert all(len(line) == 30 and line.endswith("…") for line in narrow.lines)
    assert all(line.endswith(ID) for line in none.lines)


def test_a_terminal_is_told_the_day_of_events_once_and_no_empty_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen, none = Screen(monkeypatch, 80), Screen(monkeypatch, None)
    for each in (screen, none):
        teller = Teller(each.answer)
        for time, reason in (
            ("29T18:24:55Z", "state changed"),
            ("30T00:00:01Z", f"X: resources.net: {REASON}"),
        ):
            event = {"time": f"2026-11-{time}", "path": "net", "status": "CREATE_FAILED"}
            teller.say({**event, "reason": reason})
    assert screen.lines[:4] == [
        "2026-11-29, times in UTC",
        "18:24:55  CREATE_FAILED       net",
        "2026-11-30, times in UTC",
        "00:00:01  CREATE_FAILED       net                       Unable to complete",
    ]
    assert [line.split()[0] for line in none.lines] == [
        "2026-11-29T18:24:55Z",
        "2026-11-30T00:00:01Z",
    ]
    assert none.lines[1].endswith(f"X: resources.net: {REASON}")
