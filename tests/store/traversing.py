"""Operations for tests, by the names of their nodes, and an engine that a test plays by hand.

A node is ``+name`` (forward) or ``-name`` (clean-up); time is what the test says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.plan.node import Node, Row
from stoker.store import tables as t
from stoker.store import work
from stoker.store.beginning import begin
from stoker.store.claims import Claim
from stoker.store.goal import NewRow, NewSink, Operation, RowGoal, TemplateRow
from stoker.store.work import NOTHING_AT_ONCE, AtOnce, Result

if TYPE_CHECKING:
    from stoker.store.database import Database

START = 1_000_000.0
Needs = Mapping[str, Sequence[str]]


@dataclass
class Player:
    """Writes operations and plays engines on a database."""

    database: Database
    now: float = START
    rows: dict[str, int] = field(default_factory=dict)
    sinks: tuple[NewSink, ...] | None = None  # of what is created
    types: dict[str, str] = field(default_factory=dict)  # by name, where they are no plain ones

    # operations

    def create(self, needs: Needs, name: str = "s", **columns: Any) -> Operation:
        """Begin a create; every node is forward, without a sign."""
        stack_id = str(uuid4())
        new = tuple(self.new_row(x) for x in needs)
        nodes = {Node(forward=True, row=x): _forward(y) for x, y in needs.items()}
        op = Operation(
            stack_id=stack_id,
            traversal_id=self.uuid(),
            action="CREATE",
            stack=self._stack(stack_id, name) | columns,
            needs=nodes,
            seconds=3600.0,
            template=template("one"),
            new=new,
            sinks=self.sinks,
        )
        self.begin(op)
        return op

    def next(self, before: Operation, needs: Needs, action: str = "UPDATE") -> Operation:
        """Return an operation on rows that are there (or new, for names that are not)."""
        there = {row.name: row.id for row in self.resources() if row.stack_id == before.stack_id}
        new = {x[1:] for x in needs if x[1:] not in there}
        nodes = {
            node(x, there): frozenset(node(need, there) for need in y) for x, y in needs.items()
        }
        doomed = frozenset(there[x[1:]] for x in needs if x[0] == "-" and f"+{x[1:]}" not in needs)
        return replace(
            before,
            traversal_id=self.uuid(),
            action=action,
            stack={},
            needs=nodes,
            version=self.stack(before).version,
            template=template(self.uuid()) if action == "UPDATE" else None,
            tags=None,
            new=tuple(self.new_row(x) for x in sorted(new)),
            goals=(),
            doomed=doomed,
            idle={},
            rows=frozenset(there.values()),
            sinks=None,
        )

    def begin(self, op: Operation) -> Operation:
        self.database.again(lambda connection: begin(connection, op, self.now))
        self.rows = {row.name: row.id for row in self.resources()}
        return op

    def new_row(self, name: str) -> NewRow:
        type_ = self.types.get(name, "T::Plain")
        return NewRow(name, type_, type_, self.uuid(), 0, b"definition", ())

    def uuid(self) -> str:
        return str(uuid4())

    def _stack(self, stack_id: str, name: str) -> dict[str, Any]:
        return {
            "name": name,
            "taken_name": f"p/{name}",
            "project_id": "p",
            "user_id": "u",
            "username": "ann",
            "root_id": stack_id,
            "nested_depth": 0,
            "description": "",
            "parameters": b"",
            "outputs": b"",
            "disable_rollback": True,
        }

    # engines

    def turn(
        self,
        *results: Result,
        engine: str = "e1",
        room: int = 100,
        at_once: AtOnce = NOTHING_AT_ONCE,
    ) -> dict[str, Claim]:
        """Commit results and claim; return the claims by the names of their resources."""
        with self.database.write() as connection:
            claims = work.turn(connection, engine, results, room, self.now, at_once)
        return {claim.row.name: claim for claim in claims}

    # what is there

    def resources(self) -> list[Any]:
        return self._all(t.resource)

    def row(self, name: str, *, current: bool = True) -> Any:
        found = [r for r in self.resources() if r.name == name and r.is_current is current]
        assert len(found) == 1, found
        return found[0]

    def stack(self, op: Operation) -> Any:
        return next(row for row in self._all(t.stack) if row.id == op.stack_id)

    def nodes(self) -> list[Any]:
        return self._all(t.sync_point)

    def templates(self) -> list[Any]:
        return self._all(t.raw_template)

    def events(self) -> list[tuple[str, str, str]]:
        return [(e.resource_name, e.action, e.status) for e in self._all(t.event)]

    def count(self, table: sa.Table) -> int:
        return len(self._all(table))

    def set(self, name: str, **columns: Any) -> None:
        """Write columns of a resource."""
        with self.database.write() as connection:
            where = t.resource.c.id == self.rows[name]
            connection.execute(sa.update(t.resource).where(where).values(**columns))

    def set_stack(self, op: Operation, **columns: Any) -> None:
        with self.database.write() as connection:
            where = t.stack.c.id == op.stack_id
            connection.execute(sa.update(t.stack).where(where).values(**columns))

    def insert(self, table: sa.Table, **values: Any) -> None:
        with self.database.write() as connection:
            connection.execute(sa.insert(table).values(**values))

    def _all(self, table: sa.Table) -> list[Any]:
        with self.database.read() as connection:
            return list(connection.execute(sa.select(table).order_by(*table.primary_key.columns)))


def node(text: str, rows: Mapping[str, int]) -> Node:
    """Return the node that ``+name`` or ``-name`` stands for."""
    row: Row = rows.get(text[1:], text[1:])
    return Node(forward=text[0] == "+", row=row)


def _forward(names: Sequence[str]) -> frozenset[Node]:
    return frozenset(Node(forward=True, row=name) for name in names)


def template(text: str) -> TemplateRow:
    return TemplateRow(text.encode(), b"environment", b"files", "digest-of-files")


def goal_of(row: Any, definition: bytes) -> RowGoal:
    """Return a new definition for a recorded row."""
    return RowGoal(row.id, 7, "T::Plain", definition, ("x",), type="T::New")


def good(claim: Claim, **columns: Any) -> Result:
    """Return a node's good end."""
    return Result(claim, columns, ended="good")


def bad(claim: Claim, cause: str | None = None, finding: str | None = None) -> Result:
    """Return a node's bad end."""
    return Result(claim, ended="bad", cause=cause, finding=finding)
