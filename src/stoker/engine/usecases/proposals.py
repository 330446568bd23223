"""Change sets as they are kept: the request, and the plan as it is shown, as JSON and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stoker.lang.wording import MASK
from stoker.usecases.change_sets import ChangeSetView, ChangeView, Execution
from stoker.usecases.stacks import (
    CreateStack,
    Fate,
    Goal,
    ResourcePreview,
    StackRef,
    UpdateStack,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from stoker.store.change_sets import ChangeSetRow
    from stoker.usecases.stacks import Json, PreviewTree


def kept(what: CreateStack | UpdateStack) -> Json:
    """Return a request as it is kept."""
    return asdict(what)


def created(kept: Json) -> CreateStack:
    """Return the create that is kept."""
    return CreateStack(**{**kept, "goal": _goal(kept), "tags": tuple(kept["tags"])})


def updated(kept: Json) -> UpdateStack:
    """Return the update that is kept."""
    tags = None if kept["tags"] is None else tuple(kept["tags"])
    cleared = tuple(kept["clear_parameters"])
    return UpdateStack(**{**kept, "goal": _goal(kept), "tags": tags, "clear_parameters": cleared})


def flat(tree: PreviewTree) -> Iterable[ResourcePreview]:
    """Give the resources of a tree in their order."""
    for each in tree:
        if isinstance(each, ResourcePreview):
            yield each
        else:
            yield from flat(each)


def plan(
    what: CreateStack | UpdateStack, found: Iterable[ResourcePreview], hidden: Collection[str]
) -> Json:
    """Return a plan as it is shown; of an update what stays is left out."""
    changes = [
        {
            "name": each.name,
            "type": each.type,
            "physical_id": each.physical_id or None,
            "fate": each.fate or Fate.ADDED,
            "reason": each.why,
        }
        for each in found
        if each.fate is not Fate.UNCHANGED
    ]
    given = {
        name: MASK if name in hidden else str(value) for name, value in what.goal.parameters.items()
    }
    return {"changes": changes, "parameters": given, "tags": list(what.tags or ())}


def view(row: ChangeSetRow, shown: Json | None = None) -> ChangeSetView:
    """Return a change set, with its plan where that is given."""
    plan = shown or {"changes": [], "parameters": {}, "tags": []}
    return ChangeSetView(
        id=row.id,
        name=row.name,
        stack=StackRef(row.stack_id, row.stack_name, row.project_id),
        is_new=row.is_new,
        execution=Execution(row.execution),
        reason=row.reason,
        created_at=row.created_at,
        description=row.description,
        parameters=plan["parameters"],
        tags=tuple(plan["tags"]),
        changes=tuple(_change(each) for each in plan["changes"]),
    )


def _change(kept: dict[str, Any]) -> ChangeView:
    return ChangeView(**{**kept, "fate": Fate(kept["fate"])})


def _goal(kept: Json) -> Goal:
    goal = kept["goal"]
    return Goal(**{**goal, "environment_files": tuple(goal["environment_files"])})
