"""Turning the operation that makes a stack into one that takes its objects on.

Each row knows its object from the request on: whatever becomes of the operation, a deletion of
the stack finds it. What the export says besides waits on the row for the resource's turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.columns import ADOPT
from stoker.errors import Invalid, bad_request

if TYPE_CHECKING:
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.goal import NewRow, Operation

_TOLD = ("metadata", "resources")
_LONGEST = 255  # characters of an id
TAG_MAX = 80


class Adopting:
    """Reads exports, Heat's and ours."""

    def __init__(self, database: Database, types: Types) -> None:
        self._database, self._types = database, types

    @staticmethod
    def check(document: Mapping[str, Any]) -> None:
        """Raise Invalid where a part of the export has not the form that it must have."""
        for part, (is_fit, what) in _FORMS.items():
            if document.get(part) is not None and not is_fit(document[part]):
                raise _unfit(part, what)

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
        _mapping(told, "metadata")
        data = _mapping(told, "resource_data")
        stored = data if kind is None else kind.stored_of(data)
        seal = self._database.sealer.seal
        columns = {
            "physical_id": None if has_child else _id(told),
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
    if not _is_map(found):
        raise _unfit(key, _MAP)
    fit: Mapping[str, Any] = found
    return fit


def _id(told: Mapping[str, Any]) -> str | None:
    id = told.get("resource_id")
    if id is not None and len(str(id)) > _LONGEST:
        raise _unfit("resource_id", f"must have {_LONGEST} characters at most")
    return None if id is None else str(id)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _are_texts(values: Any) -> bool:
    return all(isinstance(each, str) for each in values)


def _are_tags(values: Any) -> bool:
    fit = isinstance(values, list) and _are_texts(values)
    return fit and all(len(each) <= TAG_MAX for each in values)


_MAP = "must be a map"
_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "resources": (_is_map, _MAP),
    "environment": (lambda value: _is_map(value) or isinstance(value, str), _MAP),
    "files": (
        lambda value: _is_map(value) and _are_texts(value.values()),
        "must be a map of texts",
    ),
    "tags": (_are_tags, f"must be a list of texts of {TAG_MAX} characters at most"),
}


def _unfit(part: str, what: str) -> Invalid:
    return bad_request(f"Invalid adopt data: {part!r} {what}")
