"""Whether a text matches a template's regular expression."""

from __future__ import annotations

import re


def full_match(pattern: str, text: str) -> bool:
    """Tell whether all of ``text`` matches; raises ValueError for a bad pattern."""
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error as error:
        raise ValueError(str(error)) from error
