"""Nova's refusals, one function a status.

The rule: the texts are Nova's; the JSON around them is the framework's business.
"""

from __future__ import annotations

from stoker.devcloud.ask import invalid
from stoker.devcloud.refusal import Refusal

__all__ = ["bad_request", "conflict", "forbidden", "invalid", "missing"]


def bad_request(message: str) -> Refusal:
    """Give a 400."""
    return Refusal(400, message)


def forbidden(message: str) -> Refusal:
    """Give a 403."""
    return Refusal(403, message)


def missing(message: str) -> Refusal:
    """Give a 404."""
    return Refusal(404, message)


def conflict(message: str) -> Refusal:
    """Give a 409."""
    return Refusal(409, message)
