"""Resources as answers: lists of one stack or of a tree, and one with its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.engine.listening import Listening
from stoker.engine.source import Gathered, Source
from stoker.engine.views import Recorded, StoreRefs
from stoker.errors import Bug, UserError
from stoker.lang.expression import evaluate, load, references
from stoker.lang.syntax import Reference
from stoker.store import children, resources
from stoker.usecases.stacks import ResourceView, StackRef

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from stoker.engine.views import Look
    from stoker.sdk.resource import Types
    from stoker.store.children import ChildRow
    from stoker.store.database import Database
    from stoker.store.resources import ResourceRow
    from stoker.store.seal import Sealer
    from stoker.store.stacks import StackRow
    from stoker.usecases.stacks import ResourceQuery


@dataclass(frozen=True, slots=True)
class Branch:
    """A stack of a tree; ``parent`` is the name of the resource that it is the child of."""

    stack: StackRef
    parent: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    """Stacks, level by level, and the child of each resource that has one, by its id."""

    branches: tuple[Branch, ...]
    children: Mapping[int, ChildRow]

    @property
    def stack_ids(self) -> list[str]:
        return [branch.stack.id for branch in self.branches]


def tree(top: StackRow, rows: Collection[ChildRow], depth: int = 0) -> Tree:
    """Return the stack and what is nested in it, ``depth`` levels down, among these ``rows``."""
    start = Branch(StackRef(top.id, top.name, top.project_id), top.parent_resource_name)
    below: dict[str, list[ChildRow]] = {}
    for row in rows:
        below.setdefault(row.owner_id, []).append(row)
    level, found = [start], [start]
    for _ in range(depth):
        level = [
            Branch(StackRef(row.id, row.name, row.project_id), row.resource_name)
            for branch in level
            for row in below.get(branch.stack.id, ())
        ]
        found += level
    return Tree(tuple(found), {row.resource_id: row for row in rows})


def listed(
    database: Database, types: Types, top: StackRow, query: ResourceQuery
) -> list[ResourceView]:
    """Return the resources of the stack, then those nested in it, level by level."""
    source = Gathered(database, top.id) if query.with_detail else None
    if source is not None:
        found = tree(top, source.nested, query.nested_depth)
        rows = [row for id in found.stack_ids for row in source.members(id)]
    else:
        found, rows = _read(database, top, query.nested_depth)
    by_stack: dict[str, list[ResourceRow]] = {}
    for row in rows:
        by_stack.setdefault(row.stack_id, []).append(row)
    views: list[ResourceView] = []
    for branch in found.branches:
        mine = by_stack.get(branch.stack.id, [])
        needed_by = required_by(mine)
        for row in _chosen(mine, query.filters):
            detail = _PLAIN
            if source is not None:
                recorded = Recorded(source, types, row, strict=False, children=found.children)
                detail = _detail(row, recorded, database.sealer, ())
            child = found.children.get(row.id)
            views.append(_view(row, branch, needed_by.get(row.name, ()), child, detail))
    return views


def _read(database: Database, top: StackRow, depth: int) -> tuple[Tree, list[ResourceRow]]:
    with database.read() as connection:
        if depth == 0:
            rows = list(children.of_stack(connection, top.id).values())
        else:
            rows = children.of_tree(connection, top.root_id)
        found = tree(top, rows, depth)
        return found, resources.of_stacks(connection, found.stack_ids)


def shown(
    database: Database,
    types: Types,
    stack: StackRow,
    name: str,
    with_attr: Sequence[str],
    look: Look | None = None,
) -> ResourceView | None:
    """Return one resource with its attributes; None where the stack has none of this name.

    With ``look`` live attributes in ``with_attr`` have values.
    """
    wanted = {Reference(name, each, ()) for each in (None, *with_attr)}
    source = Gathered(database, stack.id, wanted, used=name)
    row = source.named(stack.id, [name]).get(name)
    if row is None:
        return None
    child = source.child(stack.id, row.id)
    branch = Branch(StackRef(stack.id, stack.name, stack.project_id), stack.parent_resource_name)
    recorded = Recorded(source, types, row, strict=False, look=look)
    detail = _detail(row, recorded, database.sealer, with_attr)
    return _view(row, branch, source.users, child, detail)


def metadata(database: Database, types: Types, stack: StackRow, name: str) -> dict[str, Any] | None:
    """Return a resource's metadata, or None where the stack has none of this name.

    Until the resource is made its metadata is what the template says; what signals make of a
    wait condition's handle is its metadata.
    """
    with database.read() as connection:
        found = resources.named(connection, stack.id, [name], sealed=("definition", "metadata"))
    row = found.get(name)
    if row is None:
        return None
    kind = types.get(row.implementation)
    if kind is not None and kind.shows_state:
        return dict(Listening(Source(database), types, row).told() or {})
    if row.metadata is not None:
        return dict(database.sealer.open(row.metadata) or {})
    expr = load(_definition(row, database.sealer)["metadata"])
    names = {each.resource for each in references(expr)}
    refs = StoreRefs(Source(database), types, stack.id, names, strict=False)
    return dict(evaluate(expr, refs, ("resources", name, "metadata")) or {})


def required_by(rows: Iterable[ResourceRow]) -> dict[str, tuple[str, ...]]:
    """Return for each resource of a stack the names of those that need it."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for need in row.requires:
            found.setdefault(need, []).append(row.name)
    return {name: tuple(users) for name, users in found.items()}


def attributes(recorded: Recorded, also: Iterable[str] = ()) -> dict[str, Any]:
    """Return the attributes to show, and those named in ``also``; null where one fails.

    A type whose ``show`` is a map with something in it gives that instead of the others.
    """
    if recorded.kind is None:
        return {}
    whole = _quiet(recorded, "show")
    found = (
        dict(whole)
        if isinstance(whole, Mapping) and whole
        else {name: _quiet(recorded, name) for name in recorded.kind.attributes if name != "show"}
    )
    found |= dict.fromkeys(recorded.kind.live_attributes)  # only who names one has it looked at
    return found | {name: _quiet(recorded, name) for name in also}


def _quiet(recorded: Recorded, name: str) -> Any:
    try:
        return recorded.attribute(name)
    except UserError:  # shown as null, as Heat does; an output that uses it tells the reason
        return None


@dataclass(frozen=True, slots=True)
class _Detail:
    description: str
    attributes: Mapping[str, Any] | None


_PLAIN = _Detail("", None)


def _detail(row: ResourceRow, recorded: Recorded, sealer: Sealer, also: Iterable[str]) -> _Detail:
    return _Detail(_definition(row, sealer)["description"], attributes(recorded, also))


def _definition(row: ResourceRow, sealer: Sealer) -> dict[str, Any]:
    if row.definition is None:
        raise Bug("the definition was not loaded")
    opened: dict[str, Any] = sealer.open(row.definition)
    return opened


def _view(
    row: ResourceRow,
    branch: Branch,
    users: tuple[str, ...],
    child: ChildRow | None,
    detail: _Detail,
) -> ResourceView:
    return ResourceView(
        row.name,
        branch.stack,
        row.type,
        row.physical_id,
        row.action,
        row.status,
        row.reason,
        row.created_at,
        row.updated_at,
        users,
        None if child is None else StackRef(child.id, child.name, child.project_id),
        branch.parent,
        detail.description,
        detail.attributes,
    )


def _chosen(
    rows: list[ResourceRow], filters: Mapping[str, tuple[str, ...]]
) -> Iterable[ResourceRow]:
    if not filters:
        return rows
    return (row for row in rows if all(_passes(row, key, filters[key]) for key in filters))


def _passes(row: ResourceRow, key: str, values: tuple[str, ...]) -> bool:
    if key == "type":  # alone among the filters it asks for a part
        return any(value in row.type for value in values)
    fields = {
        "status": row.status,
        "name": row.name,
        "action": row.action,
        "id": row.uuid,
        "physical_resource_id": row.physical_id,
    }
    return fields[key] in values
