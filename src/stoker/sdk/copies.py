"""What a snapshot keeps of a resource's object: a copy, with a type of its own.

A copy is made and deleted like any resource; its only property is the object that it is of. Its
type is no template's to name: the engine finds it by the type of the object (:func:`kind_of`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from stoker.sdk.schema import Props, prop

if TYPE_CHECKING:
    from stoker.sdk.resource import Resource, Types

_SUFFIX: Final = "#copy"
SOURCE: Final = "source"
RESTORES: Final = "restores"
"""In the data of an update's first step: what a copy holds is to be brought back, although the
object may look as wanted."""


class CopyProps(Props):
    source: str = prop("The object, by id.")


def copy_of(type_name: str) -> str:
    """Return the name under which the type of a copy is recorded."""
    return f"{type_name}{_SUFFIX}"


def base_of(implementation: str) -> str:
    """Return the name of the type that a copy is of; any other name is its own."""
    return implementation.removesuffix(_SUFFIX)


def kind_of(types: Types, implementation: str) -> Resource[Any] | None:
    """Return the type that a row records, of a resource or of a copy; None: it is unknown."""
    name = base_of(implementation)
    kind = types.get(name)
    return kind if kind is None or name == implementation else kind.copies
