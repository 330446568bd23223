"""The texts that say why something failed, with the way to the first cause.

The forms are those that clients of the field know: ``<Error>: resources.<name>: <text>`` for
a resource, ``Resource <ACTION> failed: …`` before it for its stack.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from stoker.errors import UserError
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from stoker.errors import StokerError

_NESTED = re.compile(r"^Resource [A-Z]+ failed: (\w+): (resources\..*)$", re.DOTALL)


class ResourceActionRestricted(UserError):
    """The environment forbids to do this to a resource. Its event has the bare text, which
    clients look for; its stack's reason has it with the way to the resource."""

    def __init__(self, action: str) -> None:
        super().__init__(f"{action} is restricted for resource.")


class NoId(UserError):
    """A resource is to be adopted, and nothing says what it is."""


NoId.__name__ = "Exception"  # as clients know it


class ChildFailed(UserError):
    """The child stack of a resource failed; ``reason`` is the child's own."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def of_resource(name: str, error: StokerError) -> str:
    """Return the reason of a resource that failed with the error."""
    text = str(error)
    if isinstance(error, ChildFailed):
        nested = _NESTED.match(error.reason)
        if nested is not None:
            return f"{nested[1]}: resources.{name}.{nested[2]}"
        return f"ResourceFailure: resources.{name}: {error.reason}"
    return f"{type(error).__name__}: resources.{name}: {text}"


def told(verb: str, reason: str) -> dict[str, Any]:
    """Return what a result tells the stack of a failure: a check's findings are all told."""
    finding = reason if verb == Action.CHECK else None
    return {"cause": of_stack(verb, reason), "finding": finding}


def of_stack(verb: str, reason: str) -> str:
    """Return the reason of a stack whose resource failed with the reason."""
    return f"Resource {verb.upper()} failed: {reason}"
