"""Types of one name that are two: which of them it is, the properties say.

A variant has the name of its type, and is recorded under one of its own, so that a change from
one to the other is a change of type. It is no template's to name.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.sdk.resource import Resource

_MARK: Final = "#"


def recorded_as(kind: Resource[Any]) -> str:
    """Return under which name a type is recorded."""
    return kind.type_name if kind.variant is None else f"{kind.type_name}{_MARK}{kind.variant}"


def parts(implementation: str) -> tuple[str, str]:
    """Return the name of the type, and of its variant or "", of what is recorded."""
    name, _, variant = implementation.partition(_MARK)
    return name, variant


def is_variant(name: str) -> bool:
    """Tell whether it is the name of a variant."""
    return _MARK in name
