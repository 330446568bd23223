"""How a command says that something is wrong.

Rule: on standard error, after all that standard output has; one line without a terminal, whole
words in its width on one.
"""

from __future__ import annotations

import os
import sys
import textwrap

LEAST_WIDTH = 40


def complain(text: str) -> None:
    """Say it, with the program's name before it."""
    sys.stdout.flush()
    sys.stderr.write(broken(f"stoker: {text}", width()) + "\n")


def width() -> int | None:
    """Return how wide the terminal of standard error is; None where it is none, or does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):  # a file, a pipe, or nothing that the system knows
        return None


def broken(text: str, width: int | None) -> str:
    """Return a text with its lines broken between words; those that follow are indented."""
    if width is None:
        return text
    return "\n".join(_lines(line, max(width, LEAST_WIDTH)) for line in text.splitlines())


def _lines(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
