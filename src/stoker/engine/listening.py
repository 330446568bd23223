"""What signals have brought resources to, and which of it has been read.

Rule: the state of a resource is read anew each time; how far that went is remembered, so that
a wait which is committed after it ends at once where there has been more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from stoker.sdk.signal import ON_SIGNAL
from stoker.store.inbox import Listened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.source import Source
    from stoker.sdk.resource import Types


class Row(Protocol):
    """What is needed of the row of whoever listens."""

    @property
    def id(self) -> int: ...
    @property
    def stack_id(self) -> str: ...
    @property
    def implementation(self) -> str: ...


class Listening:
    """Reads states for one resource; ``read`` has the rows that were asked for, and how far."""

    def __init__(self, source: Source, types: Types, row: Row) -> None:
        self._source, self._types, self._row = source, types, row
        self.read: dict[int, int] = {}

    def told(self, reference: str | None = None, /) -> Mapping[str, Any] | None:
        """Return the state of this resource, or of another one by its id, empty where it was
        told nothing; None where it takes no signals, or is not in the stack."""
        found = self._found(reference)
        if found is None or not self._takes(found.implementation):
            return None
        self.read[found.row_id] = 0 if found.state is None else found.state.id
        return {} if found.state is None else self._source.open(found.state.payload)

    def row_of(self, reference: str) -> int | None:
        """Return the row of what this reference is of."""
        found = self._found(reference)
        return None if found is None else found.row_id

    def _found(self, reference: str | None) -> Listened | None:
        row = self._row
        if reference is not None:
            return self._source.listened(row.stack_id, reference)
        return Listened(row.id, row.implementation, self._source.state(row.id))

    def _takes(self, implementation: str) -> bool:
        kind = self._types.get(implementation)
        return kind is not None and kind.supports(ON_SIGNAL)
