"""A template fetched from a URL for a caller."""

from __future__ import annotations

from stoker.errors import LimitExceeded, TooLarge, Unfetched, bad_request
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
        raise bad_request(f"Could not retrieve template: {error}") from error
