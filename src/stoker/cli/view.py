"""Where an operation's progress is shown: a live picture, lines, or nowhere.

Rule: a view only shows; what is shown is made by :mod:`stoker.cli.screen`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from stoker.cli.progress import Progress
from stoker.cli.screen import lines, picture, standing

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from stoker.cli.operation import Sight

FRAMES = 8
QUIET_SECONDS = 30.0
"""After how long without a line one tells that it still goes on."""


class View(Protocol):
    """Shows one look after the other while it is entered."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def show(self, sight: Sight) -> None: ...


def view_on(console: Console, title: str) -> View:
    """Return the view that suits where the console writes to."""
    can_move = console.is_terminal and not console.is_dumb_terminal
    return Picture(console, title) if can_move else Lines(console)


class Picture:
    """A picture that is redrawn; between looks the clocks in it go on."""

    def __init__(self, console: Console, title: str) -> None:
        self._console, self._title = console, title
        self._sight: Sight | None = None
        self._at = time.monotonic()
        self._live = Live(
            console=console, refresh_per_second=FRAMES, get_renderable=self.drawn, transient=False
        )

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def show(self, sight: Sight) -> None:
        """Draw a look from now on."""
        self._sight, self._at = sight, time.monotonic()

    def drawn(self) -> RenderableType:
        """Return the picture as of now."""
        sight = self._sight
        if sight is None:
            return Text(self._title, "bold")
        over = not sight.status.endswith("_IN_PROGRESS")
        now = sight.now if over else sight.now + time.monotonic() - self._at
        whole = picture(sight.progress, self._title, now, self._console.size)
        if not sight.silent:
            return whole
        return Group(whole, Text(f"  no answer, asking again: {sight.silent}", "yellow"))


class Lines:
    """A line for each move, and one now and then when nothing moves."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = Progress("")
        self._said = 0.0
        self._silent = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is to be ended."""

    def show(self, sight: Sight) -> None:
        """Print what has moved."""
        moved = lines(self._last, sight.progress, sight.now)
        if sight.silent and not self._silent:
            moved.append(f"  no answer, asking again: {sight.silent}")
        if not moved and sight.now - self._said > QUIET_SECONDS:
            moved.append(standing(sight.progress, sight.now))
        for line in moved:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        if moved:
            self._said = sight.now
        self._last, self._silent = sight.progress, sight.silent


class Nowhere:
    """Shows nothing: the answer is for a program."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is to be ended."""

    def show(self, sight: Sight) -> None:
        """Show nothing."""
