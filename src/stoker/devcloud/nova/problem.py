"""Nova's refusals, one function a status.

The rule: the texts are Nova's; the JSON around them is the framework's business.
"""

from __future__ import annotations

from stoker.devcloud.refusal import Refusal


def bad_request(message: str) -> Refusal:
    """Give a 400."""
    return Refusal(400, message)


def forbidden(message: str) -> Refusal:
    """Give a 403."""
    return Refusal(403, message)


def not_allowed(rule: str) -> Refusal:
    """Give the 403 that names the policy rule."""
    return Refusal(403, f"Policy doesn't allow os_compute_api:{rule} to be performed.")


def missing(message: str) -> Refusal:
    """Give a 404."""
    return Refusal(404, message)


def conflict(message: str) -> Refusal:
    """Give a 409."""
    return Refusal(409, message)


def invalid(name: str, value: object, reason: str) -> Refusal:
    """Give the 400 of a body that the schema does not take."""
    return Refusal(400, f"Invalid input for field/attribute {name}. Value: {value}. {reason}")
