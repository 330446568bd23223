"""The promises as functions over what is recorded and what the cloud has: each returns what is
wrong, in words. Pure: they read no clock, no database and no cloud.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tests.engine.simulation.program import COMPUTING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from stoker.store.claims import Claim
    from tests.engine.simulation.records import Records, Row
    from tests.engine.simulation.sky import Thing


class Commit(NamedTuple):
    """Who committed what: ``engine_id`` is "" where it was no engine's turn; ``epochs`` are those
    that the results in it were made under, by row."""

    engine_id: str
    epochs: Mapping[int, frozenset[int]]


def intended(claim: Claim, records: Records) -> Iterable[str]:
    """P1 and P2: a call is made for a committed intent, by whoever holds the row."""
    row = records.rows.get(claim.row.id)
    name = claim.row.name
    if row is None:
        yield f"P2: {name} makes a call, and its row is gone"
    elif (row.engine_id, row.epoch) != (claim.engine_id, claim.epoch):
        yield f"P2: {name} makes a call, and another has taken its row"
    elif row.intent_at is None or (row.verb is None and not _is_told(row, records)):
        yield f"P1: {name} makes a call that nobody has intended"


def current(before: Records, after: Records) -> Iterable[str]:
    """P3: what is claimed, or goes on, is of the traversal that its stack is in."""
    for row in after.rows.values():
        if row.engine_id is None or not _may_call_now(before.rows.get(row.id), row):
            continue
        if row.node_id is None and (row.verb is None or _is_told(row, after)):
            continue  # it looks for mail, which it hears where it is at rest
        if row.node_id is None or row.traversal_id not in _traversals(row, after):
            yield f"P3: {row.name} goes on for a traversal that is superseded"


def _traversals(row: Row, records: Records) -> set[str | None]:
    """Return what may be done with a row: its stack's operation, or its snapshot's deletion."""
    snapshot = records.snapshots.get(row.snapshot_id or "")
    aside = snapshot and snapshot.traversal_id
    return {records.stacks[row.stack_id].traversal_id} | ({aside} if aside else set())


def _is_told(row: Row, records: Records) -> bool:
    return any(each.resource_id == row.id for each in records.letters.values())


def _may_call_now(was: Row | None, row: Row) -> bool:
    if was is None or was.epoch != row.epoch:
        return True
    return row.intent_at is not None and row.intent_at != was.intent_at


_WORDS = ("physical_id", "verb", "verb_traversal", "child_traversal", "sent", "applied", "progress")


def fenced(before: Records, after: Records, commit: Commit) -> Iterable[str]:
    """P2: what a row says is changed by its holder alone, by a result of the epoch that it has; or
    it is of a type that calls nothing, and what it waited for ends in the very commit."""
    for row in before.rows.values():
        now = after.rows.get(row.id)
        if now is row or now == row:
            continue
        words = _other_words(row, now)
        if not words or (words == {"progress"} and _is_taken_up(row, before, after)):
            continue
        if _is_followed(row, before, after):
            continue
        held = row.engine_id is not None and row.engine_id == commit.engine_id
        if not held or row.epoch not in commit.epochs.get(row.id, ()):
            yield f"P2: {row.name} was written by one who does not hold it ({commit.engine_id})"


def _other_words(row: Row, now: Row | None) -> set[str]:
    return {word for word in _WORDS if now is None or getattr(row, word) != getattr(now, word)}


def _is_taken_up(row: Row, before: Records, after: Records) -> bool:
    """Tell whether an operation begins on the stack of a row that nobody holds: it may tell
    the row's first step something."""
    was, now = (each.stacks[row.stack_id].traversal_id for each in (before, after))
    return row.engine_id is None and was != now


def _is_followed(row: Row, before: Records, after: Records) -> bool:
    """Tell whether it only computes, was free, and its turn has come and gone in this commit."""
    waited = (
        point
        for point in before.points.values()
        if point.resource_id == row.id and point.missing and not point.done
    )
    over = (id not in after.points or after.points[id].done for id in (each.id for each in waited))
    return row.type in COMPUTING and row.engine_id is None and any(over)


def owned_once(before: Records, after: Records) -> Iterable[str]:
    """P2: an epoch of a row is one engine's."""
    for row in before.rows.values():
        now = after.rows.get(row.id)
        if now is None or now.epoch != row.epoch or row.engine_id is None:
            continue
        if now.engine_id not in (None, row.engine_id):
            yield f"P2: {row.name} has gone to another engine under the same epoch"


def kept_in_mind(
    records: Records, things: Sequence[Thing], touched: Collection[str] = ()
) -> Iterable[str]:
    """P4 and P6: each object is recorded or in doubt on the row that made it, and on no other.

    What has no id of its own, and others have ``touched``, may be another one by now than the
    one that a row records.
    """
    makers = {row.uuid: row for row in records.rows.values()}
    for thing in things:
        if not thing.maker:
            continue
        row = makers.get(thing.maker)
        if row is None:
            yield f"P4: {thing.id} is there, and the row that made it is gone"
        elif row.physical_id != thing.id and (row.physical_id or row.intent_at is None):
            yield f"P4: {thing.id} is there, and {row.name} has {row.physical_id}, not in doubt"
    yield from _adopted(records, [thing for thing in things if thing.id not in touched])


def _adopted(records: Records, things: Sequence[Thing]) -> Iterable[str]:
    made = {thing.id: thing.maker for thing in things}
    for row in records.rows.values():
        if row.physical_id in made and made[row.physical_id] != row.uuid:
            yield f"P4: {row.name} has taken {row.physical_id}, which it did not make"


def counted(records: Records) -> Iterable[str]:
    """P7: each counter is what it counts."""
    left = Counter(point.traversal_id for point in records.points.values() if not point.done)
    for stack in records.stacks.values():
        if stack.status != "IN_PROGRESS":
            continue
        there = left[stack.traversal_id or ""]
        if stack.remaining != there:
            yield f"P7: {stack.name} says that {stack.remaining} nodes remain of {there}"
        if not there:
            yield f"P7: {stack.name} goes on without a node that remains"
    for snapshot in records.snapshots.values():
        if snapshot.traversal_id is not None and snapshot.remaining != left[snapshot.traversal_id]:
            yield f"P7: a snapshot says that {snapshot.remaining} nodes remain"
    unmet = Counter(
        edge.dependent_id
        for edge in records.edges
        if (need := records.points.get(edge.need_id)) is not None and not need.done
    )
    for point in records.points.values():
        if point.missing != unmet[point.id]:
            yield f"P7: node {point.id} says that it misses {point.missing} of {unmet[point.id]}"


def released(before: Records, after: Records) -> Iterable[str]:
    """P7: a node ends in the commit of its result, after which nobody works on it."""
    for point in after.points.values():
        was = before.points.get(point.id)
        if not point.done or was is None or was.done:
            continue
        row = after.rows.get(point.resource_id)
        if row is None or _is_told(row, after) or before.rows[row.id].due is not None:
            continue  # mail has come while it was held, and it is looking for that by now
        if row.node_id == point.id and row.engine_id is not None:
            yield f"P7: {row.name} is released, and is still worked on"


def told(before: Records, after: Records) -> Iterable[str]:
    """What a resource was told counts once, and is forgotten with the resource alone."""
    states = after.states()
    for row, signals in before.states().items():
        now = states.get(row, ())
        if row in after.rows and now[: len(signals)] != signals:
            yield f"signals {signals} to {after.rows[row].name} have become {now}"
    for row, signals in states.items():
        if len({*signals}) != len(signals):
            yield f"a signal counts twice: {after.rows[row].name} was told {signals}"


def needed(trust_id: str, records: Records) -> Iterable[str]:
    """P4: no trust is taken back that a stack still has."""
    creds = {each.creds_id for each in records.trusts.values() if each.id == trust_id}
    for stack in records.stacks.values():
        if stack.creds_id in creds and not stack.is_deleted:
            yield f"P4: {trust_id} is taken back, and {stack.name} has no other"


def idle(
    records: Records, living: frozenset[str], fit: frozenset[str], threads: int, now: float
) -> set[tuple[str, str]]:
    """P5: return what waits for somebody to work on it: each with why, to be watched for long.

    ``living`` are the names of engines that live, ``fit`` of those that do not stand still; each
    does ``threads`` steps at once. Where all have as many in hand, what is due waits its turn.
    """
    found = set()
    in_hand = Counter(row.engine_id for row in records.rows.values())
    is_full = bool(fit) and all(in_hand[each] >= threads for each in fit)
    for row in records.rows.values():
        name = f"row {row.id} {row.name}, epoch {row.epoch}"  # the next one is another wait
        if row.engine_id is not None:
            if row.engine_id not in living:
                found.add((name, "it is held by a dead engine"))
        elif row.due is not None and row.due <= now and not is_full:
            found.add((name, "it is due, and nobody claims it"))
    for stack in records.stacks.values():
        if stack.status == "IN_PROGRESS" and not _goes_on(stack.id, records):
            found.add((f"stack {stack.id} {stack.name}", "nobody will ever go on with it"))
        if stack.rollback_due is not None and stack.rollback_due <= now:
            found.add((f"stack {stack.id} {stack.name}", "nobody begins its rollback"))
    return found


def _goes_on(stack_id: str, records: Records) -> bool:
    """Tell whether a row of the stack is held, due, or waits for a child that runs."""
    running = {s.parent_resource_id for s in records.stacks.values() if s.status == "IN_PROGRESS"}
    return any(
        row.engine_id is not None or row.due is not None or row.id in running
        for row in records.rows.values()
        if row.stack_id == stack_id
    )
