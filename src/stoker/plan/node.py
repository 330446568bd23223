"""Nodes of a traversal, and recorded resources as a plan reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.plan.decide import Recorded
    from stoker.plan.desired import Want

Row = int | str
"""A resource row: its id, or the name of one that the plan adds."""


@dataclass(frozen=True, slots=True)
class Node:
    """One thing to do in a traversal."""

    forward: bool
    row: Row


def forward(row: Row) -> Node:
    """Return the node that makes or changes the row's resource, or takes an action to it."""
    return Node(forward=True, row=row)


def cleanup(row: Row) -> Node:
    """Return the node that deletes the row's resource where the goal has no place for it."""
    return Node(forward=False, row=row)


class RowView(Protocol):
    """A recorded resource as a plan needs it."""

    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def stays(self) -> bool:
        """Whether it is current and its deletion has not begun."""
        ...

    @property
    def doomed(self) -> bool:
        """Whether the last goal has no place for it."""
        ...

    @property
    def resting(self) -> bool:
        """Whether it is COMPLETE, with nobody working on it and no call in doubt."""
        ...

    @property
    def reached(self) -> bool:
        """Whether its definition is what its object was made or changed to.

        A definition is recorded when a goal is accepted, and reached at the resource's turn,
        which a goal that is superseded or runs out of time may not live to see.
        """
        ...

    @property
    def returnable(self) -> bool:
        """Whether it was replaced and is whole, so that it could take its name back."""
        ...

    @property
    def observed(self) -> bool:
        """Whether its object is to be looked at before anything is decided."""
        ...

    @property
    def external_id(self) -> str | None:
        """The id of an object of others that it stands for."""
        ...

    @property
    def requires(self) -> Sequence[str]: ...
    def exclusive(self) -> frozenset[object]:
        """Return the values that only its object can hold (see ``Resource.exclusive``)."""
        ...

    def recorded(self) -> Recorded: ...
    def same_definition(self, want: Want) -> bool: ...
    def same_metadata(self, want: Want) -> bool: ...
    def reference(self) -> Any: ...
    def attribute(self, name: str | None, path: tuple[Any, ...]) -> Any: ...
