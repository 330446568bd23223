"""What an update that looks at what there is has to have brought about. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.engine.simulation.program import NO_THINGS, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from tests.engine.simulation.records import Records
    from tests.engine.simulation.sky import Thing


def brought_back(
    records: Records, things: Sequence[Thing], root_id: str, excused: Callable[[str], bool],
    opened: Callable[[bytes], Any],
) -> Iterable[str]:  # fmt: skip
    """Return the objects of a tree of stacks that are gone, or not what is recorded of them.

    ``excused`` are those that others have touched since the update was accepted, and those that
    could not be looked at, for want of the rights.
    """
    there = {thing.id: thing for thing in things}
    for row in records.rows.values():
        id = row.physical_id
        is_ours = row.stays and row.snapshot_id is None and row.type not in NO_THINGS
        if id is None or not is_ours or excused(id) or records.root(row.stack_id) != root_id:
            continue
        if id not in there:
            yield f"{id} of {row.name} is gone, and an update that looks has not noticed"
        elif row.type not in UNSEEN and row.applied is not None:
            yield from _drifted(row.name, there[id], opened(row.applied))


def found_gone(
    before: Records, after: Records, things: Sequence[Thing], root_id: str,
    excused: Callable[[str], bool],
) -> set[int]:  # fmt: skip
    """Return the rows of a tree that were replaced by an update that looks when there was no
    object of theirs any more; ``excused`` as in :func:`brought_back`. What gets another type is
    replaced without a look."""
    there = {thing.id for thing in things}
    same = {(row.stack_id, row.name, row.type) for row in after.rows.values() if row.stays}
    return {
        row.id
        for row in before.rows.values()
        if row.stays and row.physical_id is not None and row.physical_id not in there
        if (now := after.rows.get(row.id)) is not None and not now.stays
        if before.stacks[row.stack_id].traversal_id == after.stacks[row.stack_id].traversal_id
        if row.type not in NO_THINGS and after.root(row.stack_id) == root_id
        if (row.stack_id, row.name, row.type) in same and not excused(row.physical_id)
    }


def gone_back(records: Records, gone: Collection[int]) -> Iterable[str]:
    """Return the rows that stand for their resources again though their objects are ``gone``."""
    for id in gone:
        row = records.rows.get(id)
        if row is not None and row.stays:
            yield f"{row.name} is {row.physical_id} again, which was found to be gone"


def _drifted(name: str, thing: Thing, applied: Mapping[str, Any]) -> Iterable[str]:
    for word in ("size", "near"):
        if thing.body[word] != applied[word]:
            yield (
                f"{word} of {name} is {thing.body[word]} in {thing.id}, not {applied[word]},"
                " and an update that looks has not noticed"
            )
