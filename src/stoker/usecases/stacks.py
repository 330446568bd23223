"""What can be asked of Stoker about stacks; the engine answers, in process or over RPC.

Times are aware datetimes in UTC. Every call raises the errors of ``stoker.errors`` only.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from stoker.errors import Unsupported
from stoker.usecases.caller import Caller

Json = dict[str, Any]


class Deaf(Unsupported):
    """The resource takes no signal while this is done to it."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a stack should be: the body of create, update, preview and validate.

    ``template`` None (PATCH only) keeps the stored one. ``environment`` is used where
    ``environment_files`` is empty; else the named ``files`` are merged in their order. ``file``
    says where the template is from.
    """

    template: str | Mapping[str, Any] | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: str | Mapping[str, Any] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    file: str = "template"


@dataclass(frozen=True, slots=True)
class CreateStack:
    """``adopted`` is an export: its objects are taken on instead of made, under its environment,
    files and tags where the request does not say otherwise. ``id`` is one that a change set has
    given away already; no door lets a client choose it."""

    name: str
    goal: Goal
    timeout_mins: int | None = None
    disable_rollback: bool = True
    tags: tuple[str, ...] = ()
    adopted: Mapping[str, Any] | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateStack:
    """``existing`` is PATCH: what is not given is kept. ``tags`` None: not given.

    ``expected`` is the ``version`` of a preview: where the stack has moved since, the update
    is refused. None: whatever it is now. ``observe``: what there is, is looked at.
    """

    goal: Goal
    existing: bool = False
    clear_parameters: tuple[str, ...] = ()
    timeout_mins: int | None = None
    disable_rollback: bool | None = None
    tags: tuple[str, ...] | None = None
    expected: str | None = None
    observe: bool = False


class Action(StrEnum):
    """What can be done to a whole stack as it is: it changes no goal."""

    CHECK = "check"
    SUSPEND = "suspend"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said of a resource: it is faulty, or sound after all. No reason: a plain one."""

    is_faulty: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StackRef:
    """Name, id and owning project of a stack."""

    id: str
    name: str
    project_id: str


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """A snapshot; ``data`` is what the stack was, as an export has it, hidden values masked.

    ``reason`` is empty while it is being taken.
    """

    id: str
    name: str | None
    action: str
    status: str
    reason: str
    created_at: datetime
    data: Json


@dataclass(frozen=True, slots=True)
class OutputView:
    key: str
    description: str
    value: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class StackView:
    """A stack as lists and show give it; ``parameters`` and ``outputs`` only in show.

    ``outputs`` is None when they were not asked for or the stack is deleted.
    """

    id: str
    name: str
    project_id: str
    action: str
    status: str
    reason: str
    created_at: datetime
    updated_at: datetime | None
    deleted_at: datetime | None
    owner: str  # user name
    parent_id: str | None
    description: str = ""
    tags: tuple[str, ...] = ()
    disable_rollback: bool = True
    timeout_mins: int | None = None
    stack_user_project_id: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[OutputView, ...] | None = None


class ResourceView(NamedTuple):
    """``attributes`` only in show and with detail; ``nested`` is the child stack, if any.

    ``parent_resource`` is the name of the resource whose child the stack is. A tuple: answers
    have hundreds, and a frozen dataclass takes several times as long to make.
    """

    name: str
    stack: StackRef
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    created_at: datetime
    updated_at: datetime
    required_by: tuple[str, ...]
    nested: StackRef | None = None
    parent_resource: str | None = None
    description: str = ""
    attributes: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EventView:
    """``properties`` (hidden values masked) only in the single-event view."""

    id: str
    stack: StackRef
    root: StackRef | None  # given when nested events were asked for
    time: datetime
    resource_name: str
    resource_type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    properties: Mapping[str, Any] | None = None


class Fate(StrEnum):
    """What an update does to a resource. OPEN: it is decided at the resource's turn."""

    UNCHANGED = "unchanged"
    UPDATED = "updated"
    REPLACED = "replaced"
    ADDED = "added"
    DELETED = "deleted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ResourcePreview:
    """A resource as it is, or, without times, one that is only planned.

    ``stack`` has the id ``None`` (as text) where it is only planned too. ``properties`` are
    given in the preview of a create, ``fate`` and ``why`` in that of an update. Values that
    are not known yet are None, hidden ones are masked.
    """

    name: str
    stack: StackRef
    type: str
    physical_id: str | None = None
    action: str = "INIT"
    status: str = "COMPLETE"
    reason: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    required_by: tuple[str, ...] = ()
    nested: StackRef | None = None
    parent_resource: str | None = None
    description: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Any] | None = None
    fate: Fate | None = None
    why: str = ""


PreviewTree = Sequence["ResourcePreview | PreviewTree"]
"""Resources in the template's order; in place of one whose child stack is known, those of it."""


@dataclass(frozen=True, slots=True)
class CreatePreview:
    """What a create would make; ``stack`` as show would have it at the start."""

    stack: StackView
    resources: PreviewTree


@dataclass(frozen=True, slots=True)
class UpdatePreview:
    """What an update would do. ``version`` names the state that this was planned from."""

    resources: tuple[ResourcePreview, ...]
    version: str


@dataclass(frozen=True, slots=True)
class EngineView:
    """An engine, and whether it beats; ``report_interval`` in seconds."""

    id: str
    host: str
    hostname: str
    binary: str
    topic: str
    report_interval: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    is_up: bool


@dataclass(frozen=True, slots=True)
class StackQuery:
    """Filters hold column names (id, name, action, status, owner_id, username …) to allowed
    values; ``sort_keys`` are column names; a None limit is no limit."""

    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    sort_dir: str | None = None
    show_deleted: bool = False
    show_nested: bool = False
    show_hidden: bool = False
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_tags_any: tuple[str, ...] = ()
    all_projects: bool = False
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResourceQuery:
    nested_depth: int = 0
    with_detail: bool = False
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventQuery:
    """``filters``: resource_name, resource_type, resource_action, resource_status."""

    nested_depth: int = 0
    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    sort_dir: str | None = None
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Stacks(Protocol):
    """Operations on stacks. ``StackRef`` arguments must name a stack of the caller's project
    (or the caller is admin); raises NotFound otherwise."""

    def create(self, caller: Caller, what: CreateStack) -> StackRef: ...
    def update(self, caller: Caller, stack: StackRef, what: UpdateStack) -> None: ...
    def delete(self, caller: Caller, stack: StackRef) -> None: ...
    def cancel(self, caller: Caller, stack: StackRef) -> None:
        """End a create or update where it stands; raises Unsupported in any other state."""
        ...

    def undo(self, caller: Caller, stack: StackRef) -> None:
        """Give up an update under way and go back to the goal that was reached before it;
        raises Unsupported in any other state."""
        ...

    def act(self, caller: Caller, stack: StackRef, action: Action) -> None:
        """Do it to every resource; raises Conflict or Unsupported where the stack's state
        does not allow it. What is done or under way already is no fault."""
        ...

    def mark(self, caller: Caller, stack: StackRef, resource: str, what: Mark) -> None:
        """Say that a resource (by name, id or reference) is faulty, so that the next update
        replaces it, or take that back; raises Conflict while the stack is at work."""
        ...

    def signal(
        self, caller: Caller, stack: StackRef, resource: str, details: Mapping[str, Any]
    ) -> None:
        """Tell a resource something; ``{"unset_hook": hook}`` lets one go on that is held up.
        Raises Unsupported where it listens to nothing, Deaf where not now, Conflict where too
        much of it waits, Invalid where the hook is not set."""
        ...

    def snapshot(self, caller: Caller, stack: StackRef, name: str | None) -> SnapshotView:
        """Keep what a stack is, with copies of its data; raises Conflict while it is at work,
        LimitExceeded where it has many already."""
        ...

    def snapshots(self, caller: Caller, stack: StackRef) -> builtins.list[SnapshotView]:
        """Return the snapshots of a stack, oldest first."""
        ...

    def snapshot_of(self, caller: Caller, stack: StackRef, snapshot_id: str) -> SnapshotView: ...
    def forget_snapshot(self, caller: Caller, stack: StackRef, snapshot_id: str) -> None:
        """Delete a snapshot with its copies; raises Unsupported while it is being taken."""
        ...

    def restore(self, caller: Caller, stack: StackRef, snapshot_id: str) -> None:
        """Bring a stack back to what a snapshot keeps; raises Unsupported where it is not whole,
        Conflict while the stack is at work."""
        ...

    def export(self, caller: Caller, stack: StackRef) -> Json:
        """Return a stack, with those below it, as a document that can be adopted; nothing in
        it is masked. Raises Unsupported where the installation does not allow it."""
        ...

    def abandon(self, caller: Caller, stack: StackRef) -> Json:
        """Forget a stack and leave its objects alone; return it as ``export`` does. Raises
        Conflict while it is at work, Unsupported."""
        ...

    def preview_create(self, caller: Caller, what: CreateStack) -> CreatePreview:
        """Return what ``create`` would make; raises what it would raise."""
        ...

    def preview_update(
        self, caller: Caller, stack: StackRef, what: UpdateStack, *, show_nested: bool = False
    ) -> UpdatePreview:
        """Return what ``update`` would do; raises what it would raise."""
        ...

    def locate(self, caller: Caller, name_or_id: str) -> StackRef: ...
    def holder(self, caller: Caller, physical_id: str) -> StackRef:
        """Return the stack that has the object of this id; raises Unsupported where several do."""
        ...

    def list(self, caller: Caller, query: StackQuery) -> list[StackView]: ...
    def count(self, caller: Caller, query: StackQuery) -> int: ...
    def show(
        self, caller: Caller, stack: StackRef, *, resolve_outputs: bool = True
    ) -> StackView: ...
    def template(self, caller: Caller, stack: StackRef) -> Json: ...
    def environment(self, caller: Caller, stack: StackRef) -> Json: ...
    def files(self, caller: Caller, stack: StackRef) -> dict[str, str]: ...
    def outputs(self, caller: Caller, stack: StackRef) -> builtins.list[OutputView]: ...
    def output(self, caller: Caller, stack: StackRef, key: str) -> OutputView: ...
    def resources(
        self, caller: Caller, stack: StackRef, query: ResourceQuery
    ) -> builtins.list[ResourceView]: ...
    def resource(
        self, caller: Caller, stack: StackRef, name: str, with_attr: Sequence[str] = ()
    ) -> ResourceView: ...
    def metadata(self, caller: Caller, stack: StackRef, name: str) -> Json: ...
    def events(
        self, caller: Caller, stack: StackRef, query: EventQuery
    ) -> builtins.list[EventView]: ...
    def resource_events(
        self, caller: Caller, stack: StackRef, name: str, query: EventQuery
    ) -> builtins.list[EventView]: ...
    def event(self, caller: Caller, stack: StackRef, name: str, event_id: str) -> EventView: ...
    def validate(self, caller: Caller, goal: Goal, *, show_nested: bool = False) -> Json:
        """Return the validate answer (CFN-style parameter descriptions)."""
        ...

    def engines(self, caller: Caller) -> builtins.list[EngineView]:
        """Return the engines at work, and those found dead not long ago."""
        ...


class Catalog(Protocol):
    """What this installation knows: resource types, template versions, functions."""

    def types(self, caller: Caller, query: TypeQuery) -> list[TypeView]: ...
    def type_schema(self, caller: Caller, name: str) -> Json: ...
    def type_template(self, caller: Caller, name: str, form: str) -> Json: ...
    def template_versions(self) -> list[Json]: ...
    def functions(self, version: str, *, with_conditions: bool) -> list[Json]: ...


@dataclass(frozen=True, slots=True)
class TypeQuery:
    support_status: str | None = None
    name: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class TypeView:
    name: str
    description: str
