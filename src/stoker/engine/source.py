"""What views read of stacks and resources: from the store when it is wanted, or all at once.

Rule: a :class:`Source` remembers nothing, so that a worker sees what is there now; what people
are shown is :class:`Gathered`, by two statements however deep stacks stand in each other. What
was not gathered is asked for like anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoker.lang.expression import load, references
from stoker.store import below, children, inbox, resources
from stoker.store.below import Held, Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from stoker.lang.expression import Expr
    from stoker.lang.syntax import Reference
    from stoker.store.below import NestedRow
    from stoker.store.children import ChildRow
    from stoker.store.database import Database
    from stoker.store.inbox import Listened
    from stoker.store.resources import ResourceRow

VALUES = ("definition", "attributes")
"""The sealed columns of a row that views open."""

INSIDE = "resource."
"""How the names of attributes begin that reach into a child stack."""


@dataclass(frozen=True, slots=True)
class OutputRow:
    """An output as it is stored: its value may still refer to resources.

    ``error`` says why these parameters leave it without a value.
    """

    name: str
    description: str
    value: Expr
    error: str | None


class Source:
    """Asks the store, each time anew."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, sealed: bytes) -> Any:
        """Return a sealed value."""
        return self._database.sealer.open(sealed)

    def outputs(self, stack_id: str) -> Mapping[str, OutputRow]:
        """Return the outputs of a stack, unevaluated."""
        with self._database.read() as connection:
            sealed = children.outputs(connection, stack_id)
        return {} if sealed is None else self.read_outputs(sealed)

    def read_outputs(self, sealed: bytes) -> dict[str, OutputRow]:
        """Return outputs as they are kept with their stack."""
        return {
            each["name"]: OutputRow(
                each["name"], each["description"], load(each["value"]), each["error"]
            )
            for each in self.open(sealed)
        }

    def template(self, stack_id: str) -> bytes | None:
        """Return the template of a stack, sealed; None where there is no such stack."""
        with self._database.read() as connection:
            return children.template(connection, stack_id)

    def named(self, stack_id: str, names: Collection[str]) -> Mapping[str, ResourceRow]:
        """Return the resources of a stack that have one of these names."""
        with self._database.read() as connection:
            return resources.named(connection, stack_id, names, sealed=VALUES)

    def members(self, stack_id: str) -> Iterable[ResourceRow]:
        """Return all resources of a stack, in the order of its template."""
        with self._database.read() as connection:
            return resources.of_stacks(connection, [stack_id], sealed=VALUES)

    def children(self, stack_id: str) -> Mapping[int, ChildRow]:
        """Return the child stacks of a stack by the id of the resource that made each."""
        with self._database.read() as connection:
            return children.of_stack(connection, stack_id)

    def child(self, stack_id: str, resource_id: int) -> ChildRow | None:
        """Return the child stack of one resource of the stack."""
        with self._database.read() as connection:
            return children.of_resource(connection, stack_id, resource_id)

    def data(self, resource_id: int) -> Mapping[str, bytes]:
        """Return what is kept beside a resource for life, still sealed, by key."""
        with self._database.read() as connection:
            return resources.data(connection, resource_id)

    def state(self, resource_id: int) -> inbox.Letter | None:
        """Return what signals have brought a resource to, sealed."""
        with self._database.read() as connection:
            return inbox.state(connection, resource_id)

    def listened(self, stack_id: str, reference: str) -> Listened | None:
        """Return the resource of the stack that has this physical id, and its state."""
        with self._database.read() as connection:
            return inbox.listened(connection, stack_id, reference)


class Gathered(Source):
    """Some resources of a stack and what is nested below them, read by two statements.

    ``wanted`` says what is going to be read of these resources; None: everything of all.
    """

    def __init__(
        self,
        database: Database,
        stack_id: str,
        wanted: Collection[Reference] | None = None,
        *,
        outputs: Mapping[str, OutputRow] | None = None,
        used: str | None = None,
    ) -> None:
        super().__init__(database)
        names = None if wanted is None else {each.resource for each in wanted}
        self._top = top = Part(stack_id, names, used)
        self._outputs = {} if outputs is None else {stack_id: outputs}
        self._nested: dict[str, NestedRow] = {}
        self._held, self._whole = Held([]), set[str]()
        if names is None or names:
            self._gather(top, wanted)

    def _gather(self, top: Part, wanted: Collection[Reference] | None) -> None:
        with self._database.read() as connection:
            self._nested = {row.child.id: row for row in below.nested(connection, top)}
            reached = set(self._reached(top.stack_id, wanted))
            self._held = below.held(connection, top, reached, sealed=VALUES)
        self._whole = reached | ({top.stack_id} if wanted is None else set())

    @property
    def nested(self) -> list[ChildRow]:
        """The stacks below, however deep."""
        return [row.child for row in self._nested.values()]

    @property
    def users(self) -> tuple[str, ...]:
        """The names of the resources that need the one that is ``used``."""
        return self._held.users

    def outputs(self, stack_id: str) -> Mapping[str, OutputRow]:
        if stack_id not in self._nested and stack_id not in self._outputs:
            return super().outputs(stack_id)
        if stack_id not in self._outputs:
            self._outputs[stack_id] = self.read_outputs(self._nested[stack_id].outputs)
        return self._outputs[stack_id]

    def template(self, stack_id: str) -> bytes | None:
        row = self._nested.get(stack_id)
        known = None if row is None else row.template
        return super().template(stack_id) if known is None else known

    def named(self, stack_id: str, names: Collection[str]) -> Mapping[str, ResourceRow]:
        if not self._knows(stack_id, names):
            return super().named(stack_id, names)
        known = self._rows.get(stack_id, {})
        return {name: known[name] for name in names if name in known}

    def members(self, stack_id: str) -> Iterable[ResourceRow]:
        if stack_id not in self._whole:
            return super().members(stack_id)
        return self._rows.get(stack_id, {}).values()

    def children(self, stack_id: str) -> Mapping[int, ChildRow]:
        if stack_id not in self._nested and stack_id not in self._whole:
            return super().children(stack_id)
        return self._children.get(stack_id, {})

    def child(self, stack_id: str, resource_id: int) -> ChildRow | None:
        if stack_id not in self._nested and resource_id not in self._ids:
            return super().child(stack_id, resource_id)
        return self._children.get(stack_id, {}).get(resource_id)

    def data(self, resource_id: int) -> Mapping[str, bytes]:
        if resource_id not in self._ids:
            return super().data(resource_id)
        return self._held.data.get(resource_id, {})

    def state(self, resource_id: int) -> inbox.Letter | None:
        if resource_id not in self._ids:
            return super().state(resource_id)
        return self._held.states.get(resource_id)

    # what has been read

    @cached_property
    def _children(self) -> Mapping[str, dict[int, ChildRow]]:
        found: dict[str, dict[int, ChildRow]] = {}
        for row in self._nested.values():
            found.setdefault(row.child.owner_id, {})[row.child.resource_id] = row.child
        return found

    @cached_property
    def _rows(self) -> Mapping[str, dict[str, ResourceRow]]:
        found: dict[str, dict[str, ResourceRow]] = {}
        for row in self._held.rows:
            found.setdefault(row.stack_id, {})[row.name] = row
        return found

    @cached_property
    def _ids(self) -> frozenset[int]:
        return frozenset(row.id for row in self._held.rows)

    def _knows(self, stack_id: str, names: Collection[str]) -> bool:
        if stack_id in self._whole:
            return True
        return stack_id == self._top.stack_id and set(names) <= set(self._top.names or ())

    # what is to be read

    def _reached(self, stack_id: str, wanted: Collection[Reference] | None) -> Iterator[str]:
        """Give the stacks below whose resources may be asked for.

        A template that is a type gives its outputs, and with them what they refer to; of
        another child stack anything may be asked for.
        """
        inside = {each.resource for each in wanted or () if _reaches_inside(each)}
        names = None if wanted is None else {each.resource for each in wanted}
        for child in self._children.get(stack_id, {}).values():
            if names is None or child.resource_name in names:
                yield child.id
                is_type = self._nested[child.id].template is not None
                plain = wanted is None or child.resource_name not in inside
                yield from self._reached(
                    child.id, self._named_by(child) if is_type and plain else None
                )

    def _named_by(self, child: ChildRow) -> set[Reference]:
        rows = self.outputs(child.id).values()
        return {each for row in rows for each in references(row.value)}


def _reaches_inside(wanted: Reference) -> bool:
    return (wanted.attribute or "").startswith(INSIDE)
