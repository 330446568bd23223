"""The short forms that CloudFormation has in YAML: ``!Ref Port`` is ``{Ref: Port}``.

Rule: they are read as the long ones, so that nobody else knows them; what is kept of a template,
and shown of it, has the long ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from stoker.lang.places import Mark

_FUNCTIONS: Final = (
    "And",
    "Base64",
    "Equals",
    "FindInMap",
    "GetAZs",
    "GetAtt",
    "If",
    "Join",
    "Not",
    "Or",
    "Select",
    "Split",
    "Sub",
)
_GET_ATT: Final = "Fn::GetAtt"
LONG: Final = {
    "!Ref": "Ref",
    "!Condition": "Condition",
    **{f"!{name}": f"Fn::{name}" for name in _FUNCTIONS},
}
"""The names of the functions by their tags."""


@dataclass(frozen=True, slots=True)
class Used:
    """A tag, and the position at which it stands."""

    tag: str
    at: int


def of_text(name: str, text: str, at: int) -> tuple[dict[str, Any], Mark, int]:
    """Return the call of a function with a text, its mark, and how many levels deep it is.

    What is behind GetAtt's first dot is the attribute.
    """
    resource, dot, attribute = text.partition(".")
    if name == _GET_ATT and dot:
        return {name: [resource, attribute]}, wrapped(name, (at, [at, at]), at), 2
    return {name: text}, wrapped(name, at, at), 1


def wrapped(name: str, mark: Mark, at: int) -> Mark:
    """Return the mark of a map that has one key, with the value that has this mark."""
    return (at, {name: mark}, {name: at})
