"""What the database says at one moment, read as it stands after a commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from stoker.store.database import Database


class Stack(NamedTuple):
    id: str
    name: str
    action: str
    status: str
    reason: str
    traversal_id: str | None
    remaining: int
    owner_id: str | None
    parent_resource_id: int | None
    rollback_due: float | None
    is_deleted: bool


class Row(NamedTuple):
    id: int
    uuid: str
    stack_id: str
    name: str
    type: str
    action: str
    status: str
    physical_id: str | None
    traversal_id: str | None
    node_id: int | None
    due: float | None
    engine_id: str | None
    epoch: int
    verb: str | None
    verb_traversal: str | None
    intent_at: float | None
    child_traversal: str | None
    sent: bytes | None
    applied: bytes | None
    progress: bytes | None


class Point(NamedTuple):
    id: int
    traversal_id: str
    resource_id: int
    missing: int
    done: bool


class Edge(NamedTuple):
    need_id: int
    dependent_id: int


_STACKS = (
    "SELECT id, name, action, status, status_reason, traversal_id, remaining, owner_id,"
    " parent_resource_id, rollback_due, deleted_at IS NOT NULL FROM stack"
)
_ROWS = (
    "SELECT id, uuid, stack_id, name, type, action, status, physical_id, traversal_id, node_id,"
    " due, engine_id, epoch, verb, verb_traversal, intent_at, child_traversal, sent, applied,"
    " progress FROM resource"
)
_POINTS = "SELECT id, traversal_id, resource_id, missing, done FROM sync_point"
_EDGES = "SELECT need_id, dependent_id FROM edge"


@dataclass(frozen=True)
class Records:
    """Stacks, resource rows and counters by their ids."""

    stacks: dict[str, Stack]
    rows: dict[int, Row]
    points: dict[int, Point]
    edges: tuple[Edge, ...]

    def roots(self) -> list[Stack]:
        """Return the stacks that are no other's children, and not deleted."""
        return [s for s in self.stacks.values() if s.owner_id is None and not s.is_deleted]


NOTHING = Records({}, {}, {}, ())


class Reader:
    """Reads what is committed, past everything that makes a read of the product's slow."""

    def __init__(self, database: Database) -> None:
        self._connection = database.engine.raw_connection()

    def read(self) -> Records:
        """Return what there is."""
        stacks = [Stack(*each) for each in self._all(_STACKS)]
        rows = [Row(*each) for each in self._all(_ROWS)]
        points = [Point(*each) for each in self._all(_POINTS)]
        edges = tuple(Edge(*each) for each in self._all(_EDGES))
        self._connection.rollback()
        return Records(
            {each.id: each for each in stacks},
            {each.id: each for each in rows},
            {each.id: each for each in points},
            edges,
        )

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _all(self, query: str) -> list[Any]:
        cursor = self._connection.cursor()
        cursor.execute(query)
        found = list(cursor.fetchall())
        cursor.close()
        return found
