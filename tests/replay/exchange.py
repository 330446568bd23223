"""One exchange with a real Heat as it was captured: what was sent, and what came back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROJECT = "2e74bf7f94e84993905a8af69f4bff2d"
"""The project of who captured them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, headers by their names in small letters, and the body's text."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body's JSON; the text itself where it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return self.text


@dataclass(frozen=True, slots=True)
class Exchange:
    """``path`` has the query; a body of no bytes is None."""

    name: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: str | None
    answer: Answer


def read(file: Path) -> Exchange:
    """Return what a file holds."""
    asked, answered = file.read_text().split("\n----- response -----\n")
    first, headers, body = _parts(asked)
    method, path, _ = first.split(" ")
    status, answer_headers, text = _parts(answered)
    answer = Answer(int(status.split(" ")[1]), answer_headers, text.strip())
    return Exchange(file.stem, method, path, headers, body.strip() or None, answer)


def _parts(text: str) -> tuple[str, dict[str, str], str]:
    head, _, body = text.partition("\n\n")
    first, *lines = head.splitlines()
    pairs = (line.partition(": ") for line in lines)
    return first, {name.lower(): value for name, _, value in pairs}, body
