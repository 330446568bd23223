"""A scenario of the matrix: what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.usecases.stacks import Action, Goal
from tests.crash.site import Site

if TYPE_CHECKING:
    from stoker.usecases.stacks import StackRef
    from tests.crash.world import World

Foreign = Callable[[Site], object]
Ask = Callable[["World", "StackRef"], "StackRef | None"]
"""Asks for something else of a stack; returns the one that takes its place, if any does."""
IMAGE, FLAVORS = "cirros-0.6.2-x86_64-disk", ("m1.tiny", "m1.small")


@dataclass(frozen=True)
class Scenario:
    """``goals`` by the name of the operation, ``create`` first; a delete follows.

    An operation without a goal is what is done to the whole stack, or asked for. ``undoes``:
    failures are rolled back. ``subjects`` are the names of the resources whose steps are disturbed;
    ``foreign`` makes objects of others first.
    """

    name: str
    type: str
    goals: Mapping[str, Goal | Action | Ask]
    subjects: tuple[str, ...]
    foreign: Foreign | None = None
    ends: str = "COMPLETE"
    undoes: bool = False


def goal(resources: dict[str, Any], **documents: Any) -> Goal:
    """Return what wants these resources."""
    return Goal({"heat_template_version": "2021-04-16", "resources": resources}, **documents)


def one(type_: str, **changes: dict[str, Any]) -> dict[str, Goal]:
    """Return goals with one resource of the type, by the names of the operations."""
    return {
        operation: goal({"it": {"type": type_, "properties": properties}})
        for operation, properties in changes.items()
    }


def single(type_: str, **changes: dict[str, Any]) -> Scenario:
    """Return the scenario of one resource alone."""
    return Scenario(type_.removeprefix("OS::"), type_, one(type_, **changes), ("it",))
