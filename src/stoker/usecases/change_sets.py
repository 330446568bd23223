"""What can be asked about change sets: plans of stacks that are kept, and carried out or dropped.

A change set is carried out as it was shown or not at all: where the stack has moved since, it is
refused. Times are aware datetimes in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from stoker.errors import Unsupported
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import CreateStack, Fate, StackRef, UpdateStack


class Spent(Unsupported):
    """The change set cannot be carried out: it was already, it changes nothing, or the stack
    has moved since."""


class Execution(StrEnum):
    """Whether a change set can be carried out."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"  # it changes nothing
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan to keep under a name. ``stack`` is what an update is for, None for a new stack."""

    name: str
    what: CreateStack | UpdateStack
    stack: StackRef | None = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What is done to a resource."""

    name: str
    type: str
    physical_id: str | None
    fate: Fate
    reason: str


@dataclass(frozen=True, slots=True)
class ChangeSetView:
    """A change set; in lists without parameters, tags and changes.

    ``parameters`` are those that were given, hidden ones masked. ``stack`` may be only planned.
    """

    id: str
    name: str
    stack: StackRef
    is_new: bool
    execution: Execution
    reason: str
    created_at: datetime
    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    changes: tuple[ChangeView, ...] = ()


def is_id(text: str) -> bool:
    """Tell whether a change set is named by its id, not its name."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


class ChangeSets(Protocol):
    """Operations on change sets. ``stack`` is a name or an id; a change set's id needs none.
    Raises NotFound for what is of another project."""

    def propose(self, caller: Caller, what: Proposal) -> ChangeSetView:
        """Plan and keep it; raises what the preview would raise, Conflict where the name is
        taken, LimitExceeded where there are many already."""
        ...

    def list(self, caller: Caller, stack: str) -> list[ChangeSetView]: ...
    def show(self, caller: Caller, name_or_id: str, stack: str | None) -> ChangeSetView: ...
    def drop(self, caller: Caller, name_or_id: str, stack: str | None) -> None:
        """Forget it."""
        ...

    def carry_out(self, caller: Caller, name_or_id: str, stack: str | None) -> StackRef:
        """Have it done; raises Spent, and what creating or updating the stack would raise."""
        ...
