"""A stack as a document: exported, or abandoned with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.policy import member
from stoker.api.route import Route
from stoker.api.v1.path import STACK

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json


def export(ask: Ask) -> Json:
    """Return the document."""
    return ask.stacks.export(ask.caller, ask.stack)


def abandon(ask: Ask) -> Json:
    """Forget the stack, leave what it made, and return the document."""
    return ask.stacks.abandon(ask.caller, ask.stack)


ROUTES = (
    Route("DELETE", f"{STACK}/abandon", abandon, member("stacks:abandon")),
    Route("GET", f"{STACK}/export", export, member("stacks:export")),
)
