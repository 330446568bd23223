"""Faults put into the engine on purpose, each a few lines: the simulation has to find every one.

Each is a context in which the product has the fault, and gives how a trial differs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.engine import copying, observing
from stoker.engine.duties import Duties
from stoker.engine.lease import CallGuard, Lease
from stoker.engine.others import Others
from stoker.engine.records import PlanRow
from stoker.plan import restoring
from stoker.resources.heat import rolling
from stoker.sdk.resource import Next
from stoker.store import engines, traversal, work
from stoker.store import tables as t
from stoker.store.nodes import Nodes
from tests.engine.simulation.kinds import Kinds
from tests.engine.simulation.things import Renamed, ThingProps, reached
from tests.engine.simulation.trial import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stoker.plan.decide import Recorded
    from stoker.resources.heat.rolling import Group, Pace
    from stoker.sdk.cloud import Cloud
    from stoker.sdk.resource import At
    from stoker.store.claims import Claim
    from stoker.store.work import Result


@contextmanager
def no_intent() -> Iterator[dict[str, Any]]:
    """Rows are claimed without the intent that goes with it."""

    def after(connection: sa.Connection, engine_id: str) -> None:
        mine = t.resource.c.engine_id == engine_id
        connection.execute(sa.update(t.resource).where(mine).values(intent_at=None))

    with _around_turns(after=after):
        yield {}


@contextmanager
def no_epoch_check() -> Iterator[dict[str, Any]]:
    """A result is written whoever holds the row by now."""

    def before(connection: sa.Connection, engine_id: str, results: Sequence[Result]) -> None:
        for claim in (result.claim for result in results):
            it = t.resource.c.id == claim.row.id
            values = {"engine_id": engine_id, "epoch": claim.epoch}
            connection.execute(sa.update(t.resource).where(it).values(**values))

    with _around_turns(before=before):
        yield {}


@contextmanager
def superseded_work_counts() -> Iterator[dict[str, Any]]:
    """What a superseded traversal has done is taken for its successor's."""

    def before(connection: sa.Connection, engine_id: str, results: Sequence[Result]) -> None:
        for claim in (result.claim for result in results):
            held = (t.resource.c.id == claim.row.id, t.resource.c.engine_id == engine_id)
            values = {"traversal_id": claim.row.traversal_id, "node_id": claim.row.node_id}
            connection.execute(sa.update(t.resource).where(*held).values(**values))

    with _around_turns(before=before):
        yield {}


@contextmanager
def counts_of_rows() -> Iterator[dict[str, Any]]:
    """What remains is counted, in another transaction than the one in which it is written."""
    real_step, real_count = Duties.step, traversal._count_out  # noqa: SLF001 - what is spoilt
    counts: dict[str, int] = {}

    def step(self: Duties, claim: Claim) -> Result:
        s = t.sync_point.c
        query = sa.select(s.traversal_id, sa.func.count()).where(s.done.is_(False))
        with self._database.read() as connection:
            found = connection.execute(query.group_by(s.traversal_id))
            counts.update((traversal_id, left) for traversal_id, left in found)
        return real_step(self, claim)

    def count_out(connection: sa.Connection, ended: list[Any]) -> None:
        real_count(connection, ended)
        for each in {each.traversal_id for each in ended}:
            left = counts.get(each, 0) - sum(other.traversal_id == each for other in ended)
            here = t.stack.c.traversal_id == each
            connection.execute(sa.update(t.stack).where(here).values(remaining=left))

    with _patched((Duties, "step", step), (traversal, "_count_out", count_out)):
        yield {}


@contextmanager
def release_before_commit() -> Iterator[dict[str, Any]]:
    """What a node held up is released in a transaction of its own, before its result."""
    real_turn = Duties._turn  # noqa: SLF001 - what is spoilt

    def turn(self: Duties, results: Sequence[Result], *, stopping: bool) -> Any:
        ended = [work._ended(each) for each in results if each.ended]  # noqa: SLF001 - as it does
        if ended:
            with self._database.write() as connection:
                now, nodes = self._database.now(), Nodes(connection)
                traversal.make_due(connection, nodes.let_go(ended), now)
                nodes.write()
                traversal.count_out(connection, ended, now)
        return real_turn(self, results, stopping=stopping)

    class Released(Nodes):
        """Does nothing: it is done."""

        def let_go(self, _ended: Sequence[Any]) -> list[Any]:
            return []

        def write(self) -> None:
            """Write nothing."""

    def count_out(*_: Any) -> None:
        """Do nothing: it is done."""

    instead = ((work, "Nodes", Released), (work, "count_out", count_out))
    with _patched((Duties, "_turn", turn), *instead):
        yield {}


@contextmanager
def adopting_by_bare_name() -> Iterator[dict[str, Any]]:
    """What a lost call has made is looked for by the name that people gave it."""

    class ByName(Renamed):
        def find(self, at: At[ThingProps], cloud: Cloud) -> Next | None:
            found = reached(cloud).list(self.kind, name=at.logical_name)
            return Next(id=found[0].id) if found else None

    yield {"kinds": Kinds(ByName())}


@contextmanager
def waiting_for_hints() -> Iterator[dict[str, Any]]:
    """Nobody looks for due rows without being told."""
    yield {"settings": replace(SETTINGS, look_seconds=1e6)}


@contextmanager
def no_lease() -> Iterator[dict[str, Any]]:
    """A worker makes its call however long it has stood still."""

    def holds(_self: Lease, _engine_id: str) -> bool:
        return True

    with _patched((Lease, "holds", holds)):
        yield {}


@contextmanager
def no_doubt() -> Iterator[dict[str, Any]]:
    """A call without an answer is repeated as soon as a look finds nothing."""
    yield {"settings": replace(SETTINGS, in_doubt_seconds=0.0)}


@contextmanager
def doubt_since_intent() -> Iterator[dict[str, Any]]:
    """A call counts as sent when it was intended, however long after that it was."""
    real = CallGuard.before

    def room(self: Duties, flying: int, landed: int) -> int:
        # More than the threads do soon: only then is it long after that.
        return max(0, max(4 * self._settings.threads, 2 * landed) - flying)

    def before(self: CallGuard, *call: str) -> None:
        real(self, *call)
        self.passed_at = self._claim.row.intent_at or self.passed_at

    def freed(now: float) -> dict[str, Any]:
        return {name: value for name, value in real_freed(now).items() if name != "intent_at"}

    real_freed = engines.freed
    patches = ((CallGuard, "before", before), (engines, "freed", freed), (work, "freed", freed))
    with _patched(*patches, (Duties, "_room", room)):
        yield {}


@contextmanager
def what_the_goal_refers_to() -> Iterator[dict[str, Any]]:
    """What an object stands on is forgotten as soon as something else is wanted of it."""
    with _patched((PlanRow, "is_begun", False)):
        yield {}


@contextmanager
def what_others_have_seen_is_lost() -> Iterator[dict[str, Any]]:
    """Each worker goes by what it has seen itself of an engine that stands still."""

    def is_news(*_: Any) -> bool:
        return False

    with _patched((Others, "_is_news", is_news)):
        yield {}


@contextmanager
def what_is_nested_stays() -> Iterator[dict[str, Any]]:
    """A restore brings back what is in the stack itself alone."""

    def below(*_: Any) -> dict[str, Any]:
        return {}

    with _patched((restoring, "below", below)):
        yield {}


@contextmanager
def nothing_is_copied() -> Iterator[dict[str, Any]]:
    """A snapshot keeps no copy of anything."""

    def is_copied(*_: Any) -> bool:
        return False

    with _patched((copying, "_is_copied", is_copied)):
        yield {}


@contextmanager
def what_is_seen_is_not_used() -> Iterator[dict[str, Any]]:
    """What others have changed is looked at, and left as it is."""

    def drifted(*_: Any) -> frozenset[str]:
        return frozenset()

    with _patched((observing, "drifted", drifted)):
        yield {}


@contextmanager
def what_is_gone_counts_as_there() -> Iterator[dict[str, Any]]:
    """What others have taken away is looked for, and not made anew."""
    real = observing.observed

    def observed(*where: Any) -> Recorded:
        return replace(real(*where), gone=False)

    with _patched((observing, "observed", observed)):
        yield {}


@contextmanager
def all_at_once() -> Iterator[dict[str, Any]]:
    """A group changes as a whole, whatever its policy says."""

    def next_members(group: Group, *_: Any) -> dict[str, Any]:
        return group.whole()

    with _patched((rolling, "next_members", next_members)):
        yield {}


@contextmanager
def nobody_stays_in_service() -> Iterator[dict[str, Any]]:
    """A group does not heed how many of its members are to be there meanwhile."""
    real = rolling.next_members

    def next_members(group: Group, pace: Pace, present: Any) -> dict[str, Any]:
        return real(group, replace(pace, in_service=0), present)

    with _patched((rolling, "next_members", next_members)):
        yield {}


@contextmanager
def no_pause() -> Iterator[dict[str, Any]]:
    """A group goes on as soon as a batch is done."""

    def left_of_pause(*_: Any) -> float:
        return 0.0

    with _patched((rolling, "_left_of_pause", left_of_pause)):
        yield {}


ALL: dict[str, Any] = {
    each.__name__: each
    for each in (
        no_intent, no_epoch_check, superseded_work_counts, counts_of_rows, release_before_commit,
        adopting_by_bare_name, waiting_for_hints, no_lease, no_doubt, doubt_since_intent,
        what_the_goal_refers_to, what_others_have_seen_is_lost, what_is_nested_stays,
        nothing_is_copied, what_is_seen_is_not_used, what_is_gone_counts_as_there, all_at_once,
        nobody_stays_in_service, no_pause,
    )
}  # fmt: skip


@contextmanager
def _around_turns(
    before: Callable[[sa.Connection, str, Sequence[Result]], None] | None = None,
    after: Callable[[sa.Connection, str], None] | None = None,
) -> Iterator[None]:
    """Have something done in the transaction of each turn, besides."""
    real = work.turn

    def turn(
        connection: sa.Connection, engine_id: str, results: Sequence[Result], *rest: Any
    ) -> list[Claim]:
        if before is not None:
            before(connection, engine_id, results)
        claims = real(connection, engine_id, results, *rest)
        if after is not None:
            after(connection, engine_id)
        return claims

    with _patched((work, "turn", turn)):
        yield


@contextmanager
def _patched(*patches: tuple[Any, str, Any]) -> Iterator[None]:
    real = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, value in patches:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in real:
            setattr(owner, name, value)
