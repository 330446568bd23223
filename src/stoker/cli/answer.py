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
Line = tuple[str, ...]
Styled = tuple[str, Line]
"""A style of rich, and the cells."""


class Answer:
    """The two streams of one command."""

    def __init__(self, output: Output) -> None:
        self.is_json = output is Output.JSON
        self._console = Console(highlight=False, stderr=self.is_json)

    def view(self, title: str) -> View:
        """Return where progress is shown."""
        if self.is_json and not self._console.is_terminal:
            return Nowhere()
        return view_on(self._console, title)

    def say(self, text: str, style: str = "") -> None:
        """Print a line for people."""
        if not self.is_json:
            self._console.print(Text(text, style), soft_wrap=True)

    def explain(self, title: str, text: str, style: str = "") -> None:
        """Print a text beside its title; a terminal breaks it so that it stays beside."""
        indent = " " * HANG
        found = text.strip().splitlines() or [""]
        if self._console.is_terminal:
            room = max(20, self._console.width - HANG)
            found = [part for line in found for part in textwrap.wrap(line, room) or [""]]
        for index, line in enumerate(found):
            self.say((indent if index else f"  {title}".ljust(HANG)) + line, style)

    def columns(self, rows: Sequence[Styled]) -> None:
        """Print rows with their cells one below the other; a terminal cuts what is too long."""
        if self.is_json or not rows:
            return
        widths = [
            max(map(len, column)) for column in zip(*(cells for _, cells in rows), strict=True)
        ]
        cut = self._console.is_terminal
        for style, cells in rows:
            padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            text = Text("  ".join(padded).rstrip(), style)
            if cut:
                self._console.print(text, no_wrap=True, overflow="ellipsis", crop=True)
            else:
                self._console.print(text, soft_wrap=True)

    def give(self, document: Any, *, lines: bool = False) -> None:
        """Print the document for programs; ``lines`` is one of several, on a line of its own."""
        if self.is_json:
            indent = None if lines else 2
            sys.stdout.write(json.dumps(document, indent=indent, ensure_ascii=False) + "\n")
            sys.stdout.flush()
