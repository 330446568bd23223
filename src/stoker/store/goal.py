"""A stack operation as it is to be written: values that ``beginning`` takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.plan.node import Node
    from stoker.store.snapshots import NewSnapshot


class Moved(StokerError):
    """What the plan was made from has changed; plan again."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A resource row to add; ``snapshot_id`` is that of a copy, ``columns`` are set besides."""

    name: str
    type: str
    implementation: str
    uuid: str
    position: int
    definition: bytes
    requires: tuple[str, ...]
    snapshot_id: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowGoal:
    """What an existing row is wanted to be from now on; ``progress`` is set where there is one.

    ``type`` is the new word of the template for what has this ``implementation``, None where it
    is the same; a row that has become something else by now keeps its own.
    """

    id: int
    position: int
    implementation: str
    definition: bytes
    requires: tuple[str, ...]
    type: str | None = None
    progress: bytes | None = None


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """A goal's documents, sealed; ``files_digest`` tells equal files apart from others."""

    template: bytes
    environment: bytes
    files: bytes
    files_digest: str


@dataclass(frozen=True, slots=True)
class NewSink:
    """Where a stack's events are sent to; ``place`` is the same for all on one host and port."""

    id: str
    place: str
    config: bytes


@dataclass(frozen=True, slots=True)
class Operation:
    """A stack operation to write. ``version`` None: the stack is new.

    ``stack`` holds columns of the stack's row. ``idle``: epochs of the rows without a node;
    ``rows``: ids of all rows that the plan knew; ``returned``: rows that take their names back.
    ``cause`` is what a rollback follows. Nodes name new rows by the resource's name, copies by
    their UUID. ``snapshot`` is the one that the operation takes; ``forgotten`` are rows, with
    their epochs, that go at once and whose objects stay. ``sinks`` None: the stack keeps its own.
    """

    stack_id: str
    traversal_id: str
    action: str
    stack: Mapping[str, Any]
    needs: Mapping[Node, frozenset[Node]]
    seconds: float | None
    version: int | None = None
    template: TemplateRow | None = None
    tags: tuple[str, ...] | None = None
    new: tuple[NewRow, ...] = ()
    goals: tuple[RowGoal, ...] = ()
    doomed: frozenset[int] = frozenset()
    returned: frozenset[int] = frozenset()
    idle: Mapping[int, int] = field(default_factory=dict)
    rows: frozenset[int] = frozenset()
    cause: str | None = None
    snapshot: NewSnapshot | None = None
    forgotten: Mapping[int, int] = field(default_factory=dict)
    sinks: tuple[NewSink, ...] | None = None
