"""The other engines as one sees them: who stands still, and who is dead.

An engine is dead when its process has ended, as this machine's kernel knows it, or when its beat
stood still for ``dead_seconds``. That is seen on one's own monotonic clock and written down, so
that who comes later goes on from there: clocks are never compared, only durations that somebody
has seen, and the longest is true of all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from stoker.engine.processes import has_ended
from stoker.store import engines

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.lease import Lease
    from stoker.engine.settings import Settings
    from stoker.store.database import Database
    from stoker.store.engines import Pulse

_BLINK = 0.5
"""The part of ``dead_seconds`` that the time between two looks counts for at most: while the
database was away, others could beat as little as this one could look."""
_WORTH = 0.5
"""The part of ``beat_seconds`` by which what is written down must be surpassed."""


class Others:
    """This engine's view of the others; ``has_ended`` tells it of processes beside its own."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        lease: Lease,
        clock: Callable[[], float],
        has_ended: Callable[[str | None], bool] = has_ended,
    ) -> None:
        self._database, self._settings, self._lease = database, settings, lease
        self._clock, self._has_ended = clock, has_ended
        self._seen: dict[str, tuple[int, float]] = {}  # engine: its beat, and since when
        self._looked_at = clock()

    def look(self) -> bool:
        """Free the rows of the dead; return whether there were any.

        What passed without a look (the database was away) hardly counts.
        """
        began = self._clock()
        with self._database.read() as connection:
            holders = engines.holders(connection)  # first: who joins meanwhile is no stranger
            pulses = engines.pulses(connection)
        self._leave_out_what_was_not_seen(began)
        self._see(pulses)
        mine = self._lease.engine_id
        still = {
            each: (beat, began - since)
            for each, (beat, since) in self._seen.items()
            if each != mine
        }
        dead = {
            each: beat
            for each, (beat, seconds) in still.items()
            if seconds >= self._settings.dead_seconds or self._has_ended(pulses[each].process)
        }
        self._write_down(
            {
                each: seen
                for each, seen in still.items()
                if each not in dead and self._is_news(pulses[each], seen[1])
            }
        )
        return self._bury(dead, holders - pulses.keys())

    def bury_all(self) -> None:
        """Free the rows of every other engine: for whoever has the state to itself."""
        with self._database.read() as connection:
            holders = engines.holders(connection)
            beats = engines.beats(connection)
        mine = self._lease.engine_id
        gone = holders - beats.keys() - {mine}
        beats.pop(mine, None)
        self._bury(beats, gone)

    def _see(self, pulses: dict[str, Pulse]) -> None:
        """Note since when each beat has been what it is, as far as anybody has seen it."""
        now = self._clock()  # not before they were read: this must not make it longer
        self._seen = {
            each: (pulse.beat, min(now - pulse.still, self._since(each, pulse, now)))
            for each, pulse in pulses.items()
        }

    def _since(self, engine_id: str, pulse: Pulse, now: float) -> float:
        beat, since = self._seen.get(engine_id, (None, now))
        return since if beat == pulse.beat else now

    def _leave_out_what_was_not_seen(self, now: float) -> None:
        """Let a long pause between two looks count as a short one."""
        unseen = now - self._looked_at - self._settings.dead_seconds * _BLINK
        if unseen > 0:
            self._seen = {
                each: (beat, since + unseen) for each, (beat, since) in self._seen.items()
            }
        self._looked_at = now

    def _is_news(self, pulse: Pulse, seconds: float) -> bool:
        return seconds > pulse.still + self._settings.beat_seconds * _WORTH

    def _write_down(self, still: dict[str, tuple[int, float]]) -> None:
        if still:
            self._database.again(partial(engines.note_still, still=still))

    def _bury(self, dead: dict[str, int], gone: set[str]) -> bool:
        if not dead and not gone:
            return False
        now = self._database.now()
        self._database.again(partial(engines.bury, dead=dead, gone=gone, now=now))
        return True


def bury_process(database: Database, process: str) -> None:
    """Free the rows of the engine that a process was: for whoever knows that it has ended."""
    with database.read() as connection:
        pulses = engines.pulses(connection)
    dead = {each: pulse.beat for each, pulse in pulses.items() if pulse.process == process}
    if dead:
        now = database.now()
        database.again(partial(engines.bury, dead=dead, gone=(), now=now))
