"""Which known name may have been meant by one that is not known.

Rule: pure, and cheap whatever a template holds: what is long, and what is one of very many, gets
no suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

_NAMES: Final = 500
_LETTERS: Final = 64
_PROBLEMS: Final = 50
"""So many problems of one document get a suggestion."""


def meant(word: str, names: Iterable[str], told: int = 0) -> str:
    """Return ``did you mean x?``, or nothing; ``told`` problems were told before this one."""
    if len(word) > _LETTERS or told >= _PROBLEMS:
        return ""
    known = {each.lower(): each for each in sorted(islice(names, _NAMES)) if len(each) <= _LETTERS}
    found = get_close_matches(word.lower(), known, n=1, cutoff=0.7)
    return f"did you mean {known[found[0]]}?" if found else ""
