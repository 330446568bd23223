"""Cinder's refusals, one function a kind.

The rule: the texts are Cinder's; the JSON around them is the framework's business.
"""

from __future__ import annotations

from stoker.devcloud.ask import invalid as invalid_field
from stoker.devcloud.ask import not_allowed
from stoker.devcloud.refusal import Refusal

__all__ = [
    "bad_request",
    "conflict",
    "invalid",
    "invalid_field",
    "invalid_input",
    "missing",
    "not_allowed",
    "over_limit",
]


def bad_request(message: str) -> Refusal:
    """Give a 400."""
    return Refusal(400, message)


def invalid_input(reason: str) -> Refusal:
    """Give the 400 of a wish that cannot be fulfilled."""
    return Refusal(400, f"Invalid input received: {reason}")


def invalid(noun: str, reason: str) -> Refusal:
    """Give the 400 of a thing whose state does not allow it."""
    return Refusal(400, f"Invalid {noun}: {reason}")


def missing(noun: str, id: str) -> Refusal:
    """Give the 404 of a thing."""
    return Refusal(404, f"{noun} {id} could not be found.")


def conflict(message: str) -> Refusal:
    """Give a 409."""
    return Refusal(409, message)


def over_limit(name: str, message: str) -> Refusal:
    """Give the 413 that names the quota."""
    headers = {"Retry-After": "0"}
    return Refusal(413, f"{name}: {message}", headers=headers, extra={"retryAfter": "0"})
