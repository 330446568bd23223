"""Read what is nested below a stack at once: its stacks by one statement, the rows by another.

What hangs below one resource can be as deep as it likes; who looks at it asks twice, not twice
for each level. Sealed columns stay sealed in the values given here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import resources
from stoker.store.children import CHILD, ChildRow
from stoker.store.inbox import STATE, Letter
from stoker.store.tables import inbox, raw_template, resource, resource_data, stack

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from stoker.store.resources import ResourceRow

_ESCAPE = "/"
_FILES = ("%.yaml", "%.template")
"""What the names of template files are like; see ``lang.registry.is_template``."""


@dataclass(frozen=True, slots=True)
class NestedRow:
    """A nested stack and its outputs; ``template`` is there where that is a type's whole body."""

    child: ChildRow
    outputs: bytes
    template: bytes | None


@dataclass(slots=True)
class Held:
    """Rows, with what is kept beside each for life and what signals have brought it to."""

    rows: list[ResourceRow]
    users: tuple[str, ...] = ()
    data: dict[int, dict[str, bytes]] = field(default_factory=dict)
    states: dict[int, Letter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """Resources of one stack: those of these ``names``, None for all.

    ``used`` is the one of which is asked who needs it.
    """

    stack_id: str
    names: Collection[str] | None = None
    used: str | None = None


def nested(connection: sa.Connection, top: Part) -> list[NestedRow]:
    """Return all stacks below these resources, however deep, oldest first."""
    names = _few(top.names)
    query = _nested(by_name=names is not None)
    found = connection.execute(query, {"owner_id": top.stack_id, "names": names or []})
    width = len(CHILD)
    return [NestedRow(ChildRow(*row[:width]), *row[width:]) for row in found]


def held(
    connection: sa.Connection,
    top: Part,
    below: Collection[str],
    *,
    sealed: tuple[str, ...],
) -> Held:
    """Return these resources, and all of the stacks ``below``, as users see them."""
    names = _few(top.names)
    asked: dict[str, Any] = {"stack_ids": [top.stack_id, *below]}
    if names is not None:
        asked["names"] = names
    if names is not None and below:
        asked["top"] = top.stack_id
    if names is not None and top.used is not None:
        asked["used"] = _like(json.dumps(top.used))
    query = _held(sealed, frozenset(asked))
    return _gathered(connection.execute(query, asked), sealed, top)


def _like(text: str) -> str:
    """Return the pattern of whatever holds this text."""
    for each in (_ESCAPE, "%", "_"):
        text = text.replace(each, _ESCAPE + each)
    return f"%{text}%"


def _few(names: Collection[str] | None) -> list[str] | None:
    """Return the names, unless they are so many that all resources are read sooner."""
    return None if names is None or len(names) > resources.MANY else list(names)


def _gathered(found: Iterable[Any], sealed: tuple[str, ...], top: Part) -> Held:
    held = Held([])
    raw: dict[int, ResourceRow] = {}
    users: list[tuple[int, int, str]] = []
    for *columns, key, value, letter, state in found:
        row = raw.get(columns[0])
        if row is None:
            row = raw[columns[0]] = resources.value(columns, sealed)
            if top.used is not None and row.stack_id == top.stack_id and top.used in row.requires:
                users.append((row.position, row.id, row.name))
        if key is not None:
            held.data.setdefault(row.id, {})[key] = value
        if letter is not None and letter >= held.states.get(row.id, Letter(0, b"")).id:
            held.states[row.id] = Letter(letter, state)
    held.rows = resources.seen(raw.values())
    held.users = tuple(dict.fromkeys(name for _, _, name in sorted(users)))
    return held


@cache
def _nested(*, by_name: bool) -> sa.Select[Any]:
    alive = sa.and_(stack.c.deleted_at.is_(None), stack.c.parent_resource_id.is_not(None))
    first = sa.select(stack.c.id).where(stack.c.owner_id == sa.bindparam("owner_id"), alive)
    if by_name:
        names: sa.BindParameter[Any] = sa.bindparam("names", expanding=True)
        first = first.where(stack.c.parent_resource_name.in_(names))
    below = first.cte("below", recursive=True)
    deeper = sa.select(stack.c.id).join(below, stack.c.owner_id == below.c.id).where(alive)
    below = below.union_all(deeper)
    of_file = sa.or_(*(resource.c.implementation.like(each) for each in _FILES))
    return (
        sa.select(*CHILD, stack.c.outputs, sa.case((of_file, raw_template.c.template)))
        .select_from(
            below.join(stack, stack.c.id == below.c.id)
            .outerjoin(resource, resource.c.id == stack.c.parent_resource_id)
            .outerjoin(raw_template, raw_template.c.id == stack.c.template_id)
        )
        .order_by(stack.c.created_at, stack.c.id)
    )


@cache
def _held(sealed: tuple[str, ...], asked: frozenset[str]) -> sa.Select[Any]:
    r = resource.c
    stack_ids: sa.BindParameter[Any] = sa.bindparam("stack_ids", expanding=True)
    chosen: list[sa.ColumnElement[bool]] = [resources.IS_NO_COPY, r.stack_id.in_(stack_ids)]
    if "names" in asked:
        wanted: sa.ColumnElement[bool] = r.name.in_(sa.bindparam("names", expanding=True))
        if "used" in asked:  # what only looks so is left out afterwards
            needs = sa.cast(r.requires, sa.Text)
            wanted = sa.or_(wanted, needs.like(sa.bindparam("used"), escape=_ESCAPE))
        if "top" in asked:
            wanted = sa.or_(wanted, r.stack_id != sa.bindparam("top"))
        chosen.append(wanted)
    columns = (*resources.columns(sealed), resource_data.c.key, resource_data.c.value)
    told = sa.and_(inbox.c.resource_id == r.id, inbox.c.kind == STATE)
    return (
        sa.select(*columns, inbox.c.id, inbox.c.payload)
        .select_from(
            resource.outerjoin(resource_data, resource_data.c.resource_id == r.id).outerjoin(
                inbox, told
            )
        )
        .where(*chosen)
    )
