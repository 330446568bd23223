"""How what is wrong is said."""

from __future__ import annotations

import os
import pty
import termios

import pytest

from stoker.cli.complaint import broken, complain, width

TEXT = "stoker: the create of web goes on; watch it again with `stoker status --follow web`"
PROBLEMS = "stoker: \n  first: it is wrong\n  second: it is wrong as well, and that in many words"


def test_on_a_terminal_words_stay_whole() -> None:
    assert broken(TEXT, 60).splitlines() == [
        "stoker: the create of web goes on; watch it again with",
        "  `stoker status --follow web`",
    ]


def test_what_is_longer_than_a_line_stays_whole_so_that_it_can_be_copied() -> None:
    path = "/a/" + "long-" * 20 + "path"
    assert path in broken(f"stoker: cannot read {path}", 40).splitlines()[1]


def test_each_of_several_problems_is_broken_by_itself() -> None:
    assert broken(PROBLEMS, 40).splitlines() == [
        "stoker:",
        "  first: it is wrong",
        "  second: it is wrong as well, and that",
        "    in many words",
    ]


def test_without_a_terminal_nothing_is_broken(capfd: pytest.CaptureFixture[str]) -> None:
    assert broken(TEXT, None) == TEXT
    complain("x " * 200)
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_the_width_is_the_terminal_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, "w") as stream:
            monkeypatch.setattr("sys.stderr", stream)
            assert width() is None  # it has no size yet
            termios.tcsetwinsize(theirs, (40, 77))
            assert width() == 77
    finally:
        os.close(ours)
