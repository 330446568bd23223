"""At the end: the cloud is what is recorded, and that is what is desired. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.engine.simulation.program import HEARING, NO_THINGS, below
from tests.engine.simulation.sky import COPY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tests.engine.simulation.program import Piece, Shape
    from tests.engine.simulation.records import Records, Row, Snapshot, Taken
    from tests.engine.simulation.sky import Thing

_Told = tuple[str, int, str]


def agreed(
    records: Records, things: Sequence[Thing], wanted: Mapping[str, tuple[Piece, ...]]
) -> Iterable[str]:
    """Return where the cloud, the records and what is wanted of each living stack differ."""
    there = Counter(thing.id for thing in things if thing.maker)
    recorded = Counter(
        row.physical_id
        for row in records.rows.values()
        if row.physical_id is not None and row.type not in NO_THINGS
    )
    if there != recorded:
        yield f"the cloud has {sorted(there - recorded)} that is not recorded"
        yield f"recorded is {sorted(recorded - there)} that is not there"
    told = {each.resource_id for each in records.letters.values() if each.kind == "mail"}
    for row in records.rows.values():
        may_hear = row.type in HEARING or row.id in told
        is_worked_on = not may_hear and (row.engine_id or row.intent_at)
        if is_worked_on or row.verb or row.status != "COMPLETE":
            yield f"{row.name} is not at rest: {row.action} {row.status} {row.verb}"
    expected = Counter[_Told]()
    for pieces in wanted.values():
        expected += _expected(pieces)
    found = Counter[_Told](
        (thing.kind, thing.body["size"], thing.body["place"])
        for thing in things
        if thing.maker and thing.kind != COPY
    )
    if found != expected:
        yield f"wanted is {sorted(expected - found)} and there is {sorted(found - expected)}"
    if records.points or records.edges:
        yield f"counters are left: {records.points} {records.edges}"


_KEPT = "S::Kept"


def copied(records: Records, snapshot: Snapshot, taken: Taken) -> Iterable[str]:
    """Return what a snapshot of a stack that was as it should be has no copy of, or two."""
    copies = Counter(row.name for row in _copies(records, snapshot))
    there = Counter(way[-1] for way, type_ in taken.shape if type_ == _KEPT)
    if taken.is_whole and copies != there:
        yield f"a snapshot keeps {sorted(copies.elements())} of {sorted(there.elements())}"


def restored(
    records: Records, things: Sequence[Thing], snapshot: Snapshot, taken: Taken,
    asked: Collection[Shape],
) -> Iterable[str]:  # fmt: skip
    """Return the copies that no thing is of after a restore.

    There may be such of nested stacks: an update that failed before it came to one has left it
    what it was, and the goal that is restored is that of the update. Its shape says so, and so
    it must be one that was asked for.
    """
    now = records.shape(snapshot.stack_id)
    copies = _copies(records, snapshot)
    if copies and now not in asked:
        yield f"restored is {sorted(now)}, for which nobody has asked"
    origins = {each.body.get("origin") for each in things if each.kind != COPY}
    gone = (way for way, type_ in taken.shape - now if type_ == _KEPT and len(way) > 1)
    excused = Counter(way[-1] for way in gone)
    for row in copies:
        if row.physical_id in origins:
            continue
        excused[row.name] -= 1
        if excused[row.name] < 0:
            yield f"nothing is of the copy {row.physical_id}"


def _copies(records: Records, snapshot: Snapshot) -> list[Row]:
    return [row for row in records.rows.values() if row.snapshot_id == snapshot.id]


def _expected(pieces: tuple[Piece, ...]) -> Counter[_Told]:
    found = Counter[_Told]()
    for piece in pieces:
        found += _expected(below(piece))
        if piece.type not in NO_THINGS:
            found[piece.type.removeprefix("S::").lower(), piece.size, piece.place] += 1
    return found
