"""What makes a relation ours: one that nobody wrote down, between two things with ids.

Rule: it is made only after a look that did not find it was committed, and only then may what
is found be taken for ours. One that was there before is a conflict: never adopted, never
deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError, Invalid, Kind, Problem
from stoker.sdk.resource import At, Next

_ABSENT: Final = 404


def was_absent(at: At[Any]) -> bool:
    """Tell whether a look before the call did not find it."""
    return bool(at.data.get("absent"))


def absent(data: Mapping[str, Any] | None = None) -> Next:
    """Return the step that writes down that it was not there."""
    return Next(data={**(data or {}), "absent": True})


def missing(text: str, service: str = "network") -> CloudError:
    """Return what is told of a relation that is to be adopted, and is not there."""
    return CloudError(text, service=service, status=_ABSENT)


def taken(text: str, name: str) -> Invalid:
    """Return the error of one that was there before; ``name`` is the property to blame."""
    return Invalid([Problem(f"{text}, and is not this resource's", (name,), None, Kind.PROPERTY)])
