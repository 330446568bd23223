"""What the database says at one moment, read as it stands after a commit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stoker.store.inbox import MAIL, STATE

if TYPE_CHECKING:
    from stoker.store.database import Database
    from tests.engine.simulation.program import Shape


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
    creds_id: int | None


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
    snapshot_id: str | None
    stays: bool  # current and not doomed
    definition: bytes


class Point(NamedTuple):
    id: int
    traversal_id: str
    resource_id: int
    missing: int
    done: bool


class Edge(NamedTuple):
    need_id: int
    dependent_id: int


class Snapshot(NamedTuple):
    id: str
    stack_id: str
    action: str
    status: str
    traversal_id: str | None  # that deletes it, the stack going on
    remaining: int


class Taken(NamedTuple):
    """What there was when a snapshot was begun; ``is_whole``: as it was last asked for."""

    shape: Shape
    is_whole: bool


class Letter(NamedTuple):
    id: int
    resource_id: int
    kind: str
    signals: tuple[int, ...]  # by number


class Trust(NamedTuple):
    creds_id: int
    state: str
    id: str | None


_STACKS = (
    "SELECT id, name, action, status, status_reason, traversal_id, remaining, owner_id,"
    " parent_resource_id, rollback_due, deleted_at IS NOT NULL, user_creds_id FROM stack"
)
_ROWS = (
    "SELECT id, uuid, stack_id, name, type, action, status, physical_id, traversal_id, node_id,"
    " due, engine_id, epoch, verb, verb_traversal, intent_at, child_traversal, sent, applied,"
    " progress, snapshot_id, is_current AND NOT is_doomed, definition FROM resource"
)
_POINTS = "SELECT id, traversal_id, resource_id, missing, done FROM sync_point"
_EDGES = "SELECT need_id, dependent_id FROM edge"
_SNAPSHOTS = (
    "SELECT id, stack_id, action, status, traversal_id, remaining FROM snapshot"
    " ORDER BY created_at, id"
)
_LETTERS = "SELECT id, resource_id, kind, payload FROM inbox"
_TRUSTS = "SELECT id, state, trust_id FROM user_creds"


_REACHED = frozenset({"CREATE", "UPDATE", "RESTORE", "ROLLBACK"})


@dataclass(frozen=True)
class Records:
    """Stacks, resource rows, counters, snapshots (oldest first), mail and trusts by their ids."""

    stacks: dict[str, Stack]
    rows: dict[int, Row]
    points: dict[int, Point]
    edges: tuple[Edge, ...]
    snapshots: dict[str, Snapshot]
    letters: dict[int, Letter]
    trusts: dict[int, Trust]

    def roots(self) -> list[Stack]:
        """Return the stacks that are no other's children, and not deleted."""
        return [s for s in self.stacks.values() if s.owner_id is None and not s.is_deleted]

    def has_nest_left(self, root_id: str) -> bool:
        """Tell whether a nested stack of the tree could not be deleted: while it is there, another
        cannot have what only one can have. It is written down as a limit."""
        left = (r for r in self.rows.values() if r.type in ("S::Nest", "S::Group"))
        failed = (r for r in left if (r.action, r.status) == ("DELETE", "FAILED"))
        return any(self.root(each.stack_id) == root_id for each in failed)

    def root(self, stack_id: str) -> str:
        """Return the id of the root of a stack's tree."""
        owner = self.stacks[stack_id].owner_id
        return stack_id if owner is None else self.root(owner)

    def as_taken(self, root_id: str) -> Taken:
        """Return what a snapshot would be of that was begun now."""
        stack = self.stacks[root_id]
        is_whole = stack.action in _REACHED and stack.status == "COMPLETE"
        return Taken(self.shape(root_id), is_whole)

    def shape(self, root_id: str) -> Shape:
        """Return what resources there are in a tree of stacks, without copies."""
        rows = (each for each in self.rows.values() if each.snapshot_id is None)
        ours = (each for each in rows if self.root(each.stack_id) == root_id)
        return frozenset((self._way(each), each.type) for each in ours)

    def _way(self, row: Row) -> tuple[str, ...]:
        """Return the names that lead to a row, from its root stack downwards."""
        above = self.rows.get(self.stacks[row.stack_id].parent_resource_id or 0)
        return (row.name,) if above is None else (*self._way(above), row.name)

    def states(self) -> dict[int, tuple[int, ...]]:
        """Return what the resources have been told that keep it, by their rows."""
        return {e.resource_id: e.signals for e in self.letters.values() if e.kind == STATE}

    def is_tending_due(self) -> bool:
        """Tell whether there is mail, or a trust to be taken back."""
        is_mail = any(each.kind == MAIL for each in self.letters.values())
        return is_mail or any(each.state == "REVOKING" for each in self.trusts.values())


NOTHING = Records({}, {}, {}, (), {}, {}, {})


class Reader:
    """Reads what is committed, past everything that makes a read of the product's slow."""

    def __init__(self, database: Database) -> None:
        self._connection = database.engine.raw_connection()
        self.open = cache(database.sealer.open)
        """Opens what is sealed."""

    def read(self) -> Records:
        """Return what there is."""
        stacks = [Stack(*each) for each in self._all(_STACKS)]
        rows = [Row(*each) for each in self._all(_ROWS)]
        points = [Point(*each) for each in self._all(_POINTS)]
        edges = tuple(Edge(*each) for each in self._all(_EDGES))
        snapshots = [Snapshot(*each) for each in self._all(_SNAPSHOTS)]
        letters = [self._letter(*each) for each in self._all(_LETTERS)]
        trusts = [self._trust(*each) for each in self._all(_TRUSTS)]
        self._connection.rollback()
        return Records(
            {each.id: each for each in stacks},
            {each.id: each for each in rows},
            {each.id: each for each in points},
            edges,
            {each.id: each for each in snapshots},
            {each.id: each for each in letters},
            {each.creds_id: each for each in trusts},
        )

    def _trust(self, creds_id: int, state: str, sealed: bytes | None) -> Trust:
        return Trust(creds_id, state, None if sealed is None else self.open(sealed))

    def _letter(self, id: int, resource_id: int, kind: str, payload: bytes) -> Letter:
        said = self.open(payload)
        signals = said["heard"] if kind == STATE else [said["n"]]
        return Letter(id, resource_id, kind, tuple(signals))

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _all(self, query: str) -> list[Any]:
        cursor = self._connection.cursor()
        cursor.execute(query)
        found = list(cursor.fetchall())
        cursor.close()
        return found
