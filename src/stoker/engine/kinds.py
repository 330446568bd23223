"""The types of claimed rows: built-in ones by name, provider types by their template."""

from __future__ import annotations

import json
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any

from stoker.errors import Invalid, Kind, Problem
from stoker.lang.environment import is_template
from stoker.sdk.copies import kind_of
from stoker.store import children, queries
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from stoker.sdk.resource import Resource, Types
    from stoker.store.database import Database

KEPT = 256
"""Provider types kept ready."""

_NOTHING = {"heat_template_version": "2021-04-16"}


class _FileGone(Invalid):
    """A goal's files no longer hold the template of a row."""


class Kinds:
    """Gives the type behind a row's ``implementation``."""

    def __init__(self, database: Database, types: Types) -> None:
        self._database, self._types = database, types
        self._made: OrderedDict[tuple[int, str], Resource[Any]] = OrderedDict()
        self._lock = Lock()

    def of(self, implementation: str, stack: Any) -> Resource[Any]:
        """Return the type; raises Invalid where it is unknown, Moved where the row is old."""
        if is_template(implementation):
            return self._from_template(implementation, stack)
        kind = kind_of(self._types, implementation)
        if kind is None:
            raise Invalid([Problem(f"Unknown resource Type : {implementation}", kind=Kind.TYPE)])
        return kind

    def made(self, row: Any, stack: Any) -> Resource[Any]:
        """Return the type of what a row records: its template file may be gone since then."""
        try:
            return self.of(row.implementation, stack)
        except _FileGone:
            return self._types.from_template(row.implementation, self._text_of_child(row))

    def _text_of_child(self, row: Any) -> str:
        with self._database.read() as connection:
            child = children.of_resource(connection, row.stack_id, row.id)
            sealed = None if child is None else children.template(connection, child.id)
        text = _NOTHING if sealed is None else self._database.sealer.open(sealed)
        return text if isinstance(text, str) else json.dumps(text)

    def _from_template(self, key: str, stack: Any) -> Resource[Any]:
        at = (stack.template_id, key)
        with self._lock:
            if at in self._made:
                self._made.move_to_end(at)
                return self._made[at]
        with self._database.read() as connection:
            row = queries.documents(connection, stack.template_id)
        if row is None:  # an update has ended since the stack's row was read
            raise Moved(f"stack {stack.id} has another template by now")
        files = self._database.sealer.open(row.files)
        if key not in files:
            text = f"{key} is not among the files of the stack"
            raise _FileGone([Problem(text, kind=Kind.TYPE)])
        kind = self._types.from_template(key, files[key])
        with self._lock:
            self._made[at] = kind
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return kind
