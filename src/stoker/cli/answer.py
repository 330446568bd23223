"""Where a command's answer goes: text for people, one JSON document for programs.

Rule: with JSON, standard output holds nothing but the document; whoever sits at a terminal still
sees the picture, on standard error.
"""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from stoker.cli.options import Output
from stoker.cli.view import Nowhere, view_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.cli.view import View

HANG = 15
"""How far to the right explanations stand."""
LEAST_ROOM = 24
"""Less columns than that are too few to read a text in."""
Line = tuple[str, ...]
Styled = tuple[str, Line]
"""A style of rich, and the cells."""


class Answer:
    """The two streams of one command."""

    def __init__(self, output: Output) -> None:
        self.is_json = output is Output.JSON
        self._console = Console(highlight=False, stderr=self.is_json)

    @property
    def is_terminal(self) -> bool:
        """Whether lines are for somebody's eyes, on a screen that is so and so wide."""
        return self._console.is_terminal

    def view(self, title: str) -> View:
        """Return where progress is shown."""
        if self.is_json and not self.is_terminal:
            return Nowhere()
        return view_on(self._console, title)

    def say(self, text: str, style: str = "") -> None:
        """Print a line for people."""
        self._line(Text(text, style))

    def _line(self, text: Text) -> None:
        text.rstrip()
        if not self.is_json:
            self._console.print(text, soft_wrap=True)

    def explain(self, title: str, text: str, style: str = "") -> None:
        """Print a text beside its title; a terminal breaks it so that it stays beside."""
        self.beside(f"  {title}".ljust(HANG), text, style, style)

    def beside(self, before: str, text: str, style: str = "", before_style: str = "") -> None:
        """Print a text after what comes before it; on a terminal its lines stay right of that.

        Where there is not enough room right of it, they begin below it.
        """
        found = text.strip().splitlines() or [""]
        if not self.is_terminal:
            indent = "\n" + " " * len(before)
            self._line(Text(before, before_style).append(indent.join(found), style))
            return
        is_roomy = len(before) + LEAST_ROOM <= self._console.width or len(text) <= LEAST_ROOM
        indent = " " * (len(before) if is_roomy else HANG)
        room = max(LEAST_ROOM, self._console.width - len(indent))
        wrapped = [part for line in found for part in _wrapped(line, room)]
        if not is_roomy:
            self._line(Text(before, before_style))
        for index, line in enumerate(wrapped):
            lead = Text(before, before_style) if is_roomy and not index else Text(indent)
            self._line(lead.append(line, style))

    def columns(self, rows: Sequence[Styled], head: Line = (), *, spare: bool = False) -> None:
        """Print rows with their cells one below the other; the style is the first cell's.

        A terminal cuts what is too long; the last column, where it is a ``spare`` one, is left
        out before that.
        """
        if self.is_json or not rows:
            return
        lines = [*([("bold", head)] if head else []), *rows]
        widths = [max(map(len, each)) for each in zip(*(cells for _, cells in lines), strict=True)]
        is_cut = self.is_terminal
        if spare and is_cut and sum(widths) + 2 * (len(widths) - 1) > self._console.width:
            widths.pop()
        for style, cells in lines:
            first, *others = map(str.ljust, cells, widths)
            text = Text(first, style).append(
                "  " + "  ".join(others), style if cells is head else ""
            )
            text.rstrip()
            if is_cut:
                self._console.print(text, no_wrap=True, overflow="ellipsis", crop=True)
            else:
                self._console.print(text, soft_wrap=True)

    def give(self, document: Any, *, lines: bool = False) -> None:
        """Print the document for programs; ``lines`` is one of several, on a line of its own."""
        if self.is_json:
            indent = None if lines else 2
            sys.stdout.write(json.dumps(document, indent=indent, ensure_ascii=False) + "\n")
            sys.stdout.flush()


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_on_hyphens=False) or [""]
