"""Turning the operation that makes a stack into one that takes its objects on.

Each row knows its object from the request on: whatever becomes of the operation, a deletion of
the stack finds it. What the export says besides waits on the row for the resource's turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.columns import ADOPT
from stoker.errors import Invalid, Kind, Problem

if TYPE_CHECKING:
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.goal import NewRow, Operation

_TOLD = ("metadata", "resources")


class Adopting:
    """Reads exports, Heat's and ours."""

    def __init__(self, database: Database, types: Types) -> None:
        self._database, self._types = database, types

    def adopted(self, operation: Operation, document: Mapping[str, Any]) -> Operation:
        """Return the operation, which creates a stack, as one that adopts; raises Invalid."""
        told = _mapping(document, "resources")
        new = tuple(
            self._row(row, _mapping(told, row.name), operation.traversal_id)
            for row in operation.new
        )
        return replace(operation, action=ADOPT.upper(), new=new)

    def _row(self, row: NewRow, told: Mapping[str, Any], traversal_id: str) -> NewRow:
        if self._database.sealer.open(row.definition)["external_id"] is not None:
            return row  # the template says whose it is, and it is taken in by that
        kind = self._types.get(row.implementation)
        has_child = kind is None or kind.has_child
        id = None if has_child else told.get("resource_id")
        data = _mapping(told, "resource_data")
        stored = data if kind is None else kind.stored_of(data)
        seal = self._database.sealer.seal
        columns = {
            "physical_id": None if id is None else str(id),
            "verb": ADOPT,
            "verb_traversal": traversal_id,
            "progress": seal({ADOPT: {name: told[name] for name in _TOLD if name in told}}),
        }
        kept = {key: seal(value) for key, value in stored.items()}
        return replace(row, columns=columns, data=kept)


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        text = f"Invalid adopt data: {key!r} must be a map"
        raise Invalid([Problem(text, kind=Kind.REQUEST)])
    return found
