"""At the end: the cloud is what is recorded, and that is what is desired. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.engine.simulation.program import HEARING, NO_THINGS
from tests.engine.simulation.sky import COPY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.engine.simulation.program import Piece
    from tests.engine.simulation.records import Records
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
    for row in records.rows.values():
        is_worked_on = row.type not in HEARING and (row.engine_id or row.intent_at)
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


def _expected(pieces: tuple[Piece, ...]) -> Counter[_Told]:
    found = Counter[_Told]()
    for piece in pieces:
        found += _expected(piece.inner)
        if piece.type not in NO_THINGS:
            found[piece.type.removeprefix("S::").lower(), piece.size, piece.place] += 1
    return found
