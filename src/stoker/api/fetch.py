"""A template fetched from a URL for a caller."""

from __future__ import annotations

from stoker.errors import Invalid, Kind, LimitExceeded, Problem, TooLarge, Unfetched
from stoker.fetch import Limits
from stoker.fetch import fetch as fetch_bytes


def fetch(url: str, limits: Limits) -> str:
    """Return the text at ``url``.

    Raises Invalid where it cannot be had, LimitExceeded where it is too long.
    """
    try:
        return fetch_bytes(url, limits).decode()
    except TooLarge as error:
        text = f"Template exceeds maximum allowed size ({limits.size} bytes)"
        raise LimitExceeded(text) from error
    except (Unfetched, ValueError) as error:
        text = f"Could not retrieve template: {error}"
        raise Invalid([Problem(text, kind=Kind.REQUEST)]) from error
