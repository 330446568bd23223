"""That groups change in batches, as their policies say: judged at each commit, by what rows say.

What counts against a batch is what this update of the group has set going. Members that were
not what they were to be when the batch began, because a failure or another update had left them
so, are excused, and so are those that others have touched.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.lang.expression import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tests.engine.simulation.records import Records, Row

GROUP = "S::Group"
_MOMENT = 1e-6


@dataclass
class _Roll:
    """One update of a group, or its creation; ``limit`` None: nothing is said of batches."""

    key: tuple[int, str | None, str | None]
    limit: int | None
    pause: float
    in_service: int
    size: int
    child: str | None = None  # the traversal that is its batch
    floor: int = 0  # members in service meanwhile
    done_at: float | None = None
    excused: set[str] = field(default_factory=set)


@dataclass
class Batches:
    """Follows the groups from commit to commit; ``opened`` opens what is sealed, ``touched`` are
    the ids of the objects that others have touched. ``paced`` counts the batches that were seen.
    """

    opened: Callable[[bytes], Any]
    touched: Collection[str]
    paced: int = 0
    _rolls: dict[int, _Roll] = field(default_factory=dict)

    def judge(self, before: Records, after: Records, now: float) -> Iterable[str]:
        """Return what is wrong with the batches of the groups."""
        for group in after.rows.values():
            if group.type != GROUP or group.verb not in ("create", "update"):
                continue
            roll = self._rolls.get(group.id)
            if roll is None or roll.key != _key(group):
                roll = self._rolls[group.id] = self._begun(group, before)
            if roll.limit is not None:
                yield from self._judge(group, roll, before, after, now)

    def _begun(self, group: Row, records: Records) -> _Roll:
        definition = self.opened(group.definition)
        policy = load(definition["update_policy"]) or {}
        wanted = load(definition["properties"])
        present = self._members(group, records)
        said = policy.get("batch_create" if group.verb == "create" else "rolling_update")
        is_paced = group.verb == "create" or self._redefines(wanted, present)
        if records.stacks[group.stack_id].action == "RESTORE" and _is_kept(wanted):
            said = None  # what snapshots keep is brought back at once
        if said is None or not is_paced:
            return _Roll(_key(group), None, 0.0, 0, 0)
        return _Roll(
            _key(group),
            said["max_batch_size"],
            said["pause_time"],
            said.get("min_in_service", 0),
            wanted["count"],
        )

    def _redefines(self, wanted: Mapping[str, Any], present: Mapping[str, str]) -> bool:
        return any(
            each != _told(wanted["resource_def"], index)
            for index, each in present.items()
            if int(index) < wanted["count"]
        )

    def _judge(
        self, group: Row, roll: _Roll, before: Records, after: Records, now: float
    ) -> Iterable[str]:
        if group.child_traversal is not None and group.child_traversal != roll.child:
            yield from self._next(group, roll, before, after, now)
        if roll.child is None:
            return
        child = after.stacks.get(group.physical_id or "")
        if child is not None and (child.traversal_id, child.status) == (roll.child, "COMPLETE"):
            roll.done_at = now if roll.done_at is None else roll.done_at
        rows = _rows(group, after)
        roll.excused |= {row.name for row in rows if row.physical_id in self.touched}
        current = [row for row in rows if row.stays]
        changing = {row.name for row in current if row.verb or row.status == "IN_PROGRESS"}
        if len(changing - roll.excused) > (roll.limit or 0):
            yield f"{sorted(changing)} of {group.name} change at once, not {roll.limit}"
        serving = {row.name for row in current if _serves(row)} | roll.excused
        if len(serving) < roll.floor:
            yield f"of {group.name} only {sorted(serving)} are in service, not {roll.floor}"

    def _next(
        self, group: Row, roll: _Roll, before: Records, after: Records, now: float
    ) -> Iterable[str]:
        """Judge a batch that begins."""
        self.paced += 1
        old, new = self._members(group, before), self._members(group, after)
        changed = sorted(name for name, each in new.items() if old.get(name) != each)
        if len(changed) > (roll.limit or 0):
            yield f"{changed} of {group.name} are to change at once, not {roll.limit}"
        if roll.done_at is not None and now - roll.done_at < roll.pause - _MOMENT:
            yield f"{group.name} pauses for {now - roll.done_at:.2f}, not {roll.pause}"
        rows = [row for row in _rows(group, before) if row.stays]
        roll.excused = {row.name for row in rows if not self._is_reached(row)}
        roll.child, roll.done_at = group.child_traversal, None
        roll.floor = min(roll.in_service, roll.size, len(rows))

    def _is_reached(self, row: Row) -> bool:
        """Tell whether a member is what the group's last goal for it says."""
        if not _serves(row) or row.applied is None:
            return False
        definition = self.opened(row.definition)
        is_same = load(definition["properties"]) == self.opened(row.applied)
        return is_same and bool(definition["type"] == row.type)

    def _members(self, group: Row, records: Records) -> dict[str, str]:
        """Return what the members are to be as yet, by their names."""
        found = {}
        for row in _rows(group, records):
            if row.stays:
                definition = self.opened(row.definition)
                properties = load(definition["properties"])
                found[row.name] = _text(definition["type"], properties)
        return found


def _key(group: Row) -> tuple[int, str | None, str | None]:
    return group.id, group.verb, group.verb_traversal


def _rows(group: Row, records: Records) -> list[Row]:
    if group.physical_id is None:
        return []
    rows = (row for row in records.rows.values() if row.stack_id == group.physical_id)
    return [row for row in rows if row.snapshot_id is None]


def _serves(row: Row) -> bool:
    is_at_rest = row.verb is None and row.status == "COMPLETE"
    return is_at_rest and row.physical_id is not None


def _is_kept(wanted: Mapping[str, Any]) -> bool:
    return str(wanted["resource_def"]["type"]) == "S::Kept"


def _told(member: Mapping[str, Any], index: str) -> str:
    properties = {
        name: value.replace("%index%", index) if isinstance(value, str) else value
        for name, value in member["properties"].items()
    }
    return _text(member["type"], properties)


def _text(type_: str, properties: Mapping[str, Any]) -> str:
    return json.dumps([type_, properties], sort_keys=True)
