"""What stacks are made of beside their requests: the operator's environment, templates of the web.

Rule: what is taken from here goes into the stack's own files when its goal is accepted, so that
the stack stays what it was when an operator, or a site, has something else by now.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn
from urllib.parse import urlsplit

from stoker.errors import MissingFile, Problem, Unfetched

_SCHEMES: Final = ("http", "https")
MOST: Final = 32
"""So many templates are fetched for one request."""


def _nowhere(_url: str, _seconds: float) -> NoReturn:
    raise Unfetched("this program fetches nothing")


@dataclass(frozen=True, slots=True)
class Offer:
    """``registry`` is the operator's, ``texts`` are the templates that it leads to by what it
    calls them.

    ``fetch(url, seconds)`` gives a text of the web or raises Unfetched; all that one request
    wants has ``seconds``.
    """

    registry: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    fetch: Callable[[str, float], str] = _nowhere
    seconds: float = 60.0


class Completion:
    """The search for what one request lacks."""

    def __init__(self, offer: Offer) -> None:
        self._offer, self._left, self._until = offer, MOST, 0.0
        self._why: dict[str, str] = {}

    def found(self, problems: Sequence[Problem]) -> dict[str, str]:
        """Return the texts of missing files that can be had; {} when there are none any more."""
        found: dict[str, str] = {}
        for each in problems:
            if isinstance(each, MissingFile) and each.file not in found | self._why:
                self._look(each.file, found)
        return found

    def told(self, problems: Sequence[Problem]) -> list[Problem]:
        """Return problems that stay, with the reason why a file cannot be had."""
        return [
            each.plain(self._why.get(each.file, "")) if isinstance(each, MissingFile) else each
            for each in problems
        ]

    def _look(self, file: str, found: dict[str, str]) -> None:
        if file in self._offer.texts:
            found[file] = self._offer.texts[file]
        elif urlsplit(file).scheme in _SCHEMES:
            try:
                found[file] = self._fetched(file)
            except Unfetched as error:
                self._why[file] = str(error)

    def _fetched(self, url: str) -> str:
        if self._left <= 0:
            raise Unfetched(f"{MOST} others were fetched before, and no more are")
        if self._left == MOST:
            self._until = time.monotonic() + self._offer.seconds
        self._left -= 1
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise Unfetched("fetching the others has taken all the time that there is")
        return self._offer.fetch(url, seconds)
