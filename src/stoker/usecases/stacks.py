"""What can be asked of Stoker about stacks; the engine answers, in process or over RPC.

Times are aware datetimes in UTC. Every call raises the errors of ``stoker.errors`` only.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from stoker.usecases.caller import Caller

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Goal:
    """What a stack should be: the body of create, update, preview and validate.

    ``template`` None (PATCH only) keeps the stored one. ``environment`` is used where
    ``environment_files`` is empty; else the named ``files`` are merged in their order.
    """

    template: str | Mapping[str, Any] | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: str | Mapping[str, Any] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CreateStack:
    name: str
    goal: Goal
    timeout_mins: int | None = None
    disable_rollback: bool = True
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateStack:
    """``existing`` is PATCH: what is not given is kept. ``tags`` None: not given."""

    goal: Goal
    existing: bool = False
    clear_parameters: tuple[str, ...] = ()
    timeout_mins: int | None = None
    disable_rollback: bool | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class StackRef:
    """Name, id and owning project of a stack."""

    id: str
    name: str
    project_id: str


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


@dataclass(frozen=True, slots=True)
class ResourceView:
    """``attributes`` only in show and with detail; ``nested`` is the child stack, if any.

    ``parent_resource`` is the name of the resource whose child the stack is.
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
    def locate(self, caller: Caller, name_or_id: str) -> StackRef: ...
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
