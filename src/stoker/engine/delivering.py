"""Send the events of stacks to the webhooks that their environments name.

Rule: neither a stack nor another sink waits for one that is slow or away. Each sink has a thread
while something is sent to it, few of them for one host, and what fails is tried again later, until
the event is older than its ``ttl``, or is refused where the next is taken. A target may hold a
secret: the log names its host alone.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from stoker.engine import webhook
from stoker.engine.looking import Looking
from stoker.errors import Refused, Unfetched
from stoker.lang.sinks import Webhook
from stoker.store import deliveries
from stoker.store.database import DatabaseError
from stoker.store.deliveries import Sent
from stoker.store.passing import code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.store.database import Database
    from stoker.store.deliveries import Owed, Taken

LOOK_SECONDS: Final = 1.0
REFUSALS: Final = 5
"""After so many of one event in a row, those after it are tried."""
AFTER_IT: Final = 10
"""So many of them in a turn."""
_REFUSING: Final = frozenset(range(400, 500)) - {408, 425, 429}
"""Statuses that speak of what was sent, and not of the moment at which it came."""
THREADS: Final = 16
OF_A_PLACE: Final = 4
"""So many threads may be busy with one host and port, so that one that hangs leaves some."""
POST_SECONDS: Final = 10.0
TURN_SECONDS: Final = 20.0
"""After so long others have their turn, though there is more for this sink."""
OURS_SECONDS: Final = 90.0
"""For so long nobody else takes the sink up: longer than a turn with its last request."""
BATCH: Final = 50
LONGEST_PAUSE: Final = 600.0
STOP_SECONDS: Final = 2.0
_LOG = logging.getLogger(__name__)


class Post(Protocol):
    """Sends a body to an address; raises Unfetched where it is not taken."""

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None: ...


class Delivering:
    """Looks for sinks to which something is owed, in a thread of its own.

    ``engine_id`` gives the name of the engine beside it: others hand on what it was sending when
    they bury that. An empty one says that there is none.
    """

    def __init__(self, database: Database, post: Post, engine_id: Callable[[], str]) -> None:
        self._database, self._post, self._engine_id = database, post, engine_id
        self._stopping = threading.Event()
        self._busy: Counter[str] = Counter()
        self._guard = threading.Lock()
        self._turns: set[threading.Thread] = set()
        self._looking = Looking("deliver", self._look, LOOK_SECONDS)

    def start(self) -> None:
        """Begin."""
        self._looking.start()
        self._looking.wake()

    def stop(self) -> None:
        """End after what is being sent, unless whoever takes it keeps us waiting."""
        self._stopping.set()
        self._looking.end()
        until = time.monotonic() + STOP_SECONDS
        self._looking.join(STOP_SECONDS)
        with self._guard:
            turns = list(self._turns)
        for each in turns:
            each.join(max(0.0, until - time.monotonic()))

    # looking

    def _look(self) -> None:
        """Begin a turn of each sink that is due, as far as there are threads."""
        with self._guard:
            room = THREADS - self._busy.total()
            full = [place for place, count in self._busy.items() if count >= OF_A_PLACE]
        now = self._database.now()
        with self._database.read() as connection:
            if room <= 0 or not deliveries.is_any_due(connection, now):
                return
        until = now + OURS_SECONDS
        take = partial(
            deliveries.take_up, now=now, until=until, most=room,
            engine_id=self._engine_id() or None, busy=full,
        )  # fmt: skip
        for sink in self._database.again(take):
            self._begin(sink)

    def _begin(self, sink: Taken) -> None:
        with self._guard:
            is_full = self._busy[sink.place] >= OF_A_PLACE
            if not is_full:
                turn = threading.Thread(target=self._turn, args=(sink,), name="stoker-send")
                turn.daemon = True
                turn.start()  # which may fail; it does not end without the guard
                self._busy[sink.place] += 1
                self._turns.add(turn)
        if is_full:  # several of one place were due at once
            self._settle(sink, Sent(failures=sink.failures, refusals=sink.refusals))

    # a turn

    def _turn(self, sink: Taken) -> None:
        try:
            self._serve(sink)
        except DatabaseError as e:
            text = "the database did not answer; stack %s's sink is served anew: %s"
            _LOG.warning(text, sink.stack_id, code(e.orig))
        except Exception:  # noqa: BLE001 - its thread's outermost; whoever is next tries again
            _LOG.exception("sending events of stack %s failed", sink.stack_id)
        finally:
            with self._guard:
                self._busy[sink.place] -= 1
                self._busy += Counter()  # places where nobody is busy are forgotten
                self._turns.discard(threading.current_thread())
            self._looking.wake()

    def _serve(self, sink: Taken) -> None:
        to = Webhook(**self._database.sealer.open(sink.config))
        until = time.monotonic() + TURN_SECONDS
        with self._database.read() as connection:
            found, lost = deliveries.owed(connection, sink, BATCH)
        done, error = self._send(to, found, until)
        ids = [*lost, *(each.id for each in done)]
        if error is None:
            failures, refusals = (0, 0) if done else (sink.failures, sink.refusals)
            self._settle(sink, Sent(ids, failures=failures, refusals=refusals))
            return
        refusals = 0 if not is_final(error) else 1 if done else sink.refusals + 1
        if refusals >= REFUSALS and (past := self._go_past(to, found, until)):
            self._settle(sink, Sent([*ids, *(each.id for each in past)]))
            for each in past[:-1]:
                text = "gave up event %s of stack %s: %s refuses it, and has taken another: %s"
                _LOG.warning(text, each.event.uuid, sink.stack_id, to.place, error)
            return
        self._wait(
            sink, to, error, Sent(ids, failures=1 if done else sink.failures + 1, refusals=refusals)
        )

    def _wait(self, sink: Taken, to: Webhook, error: Unfetched, sent: Sent) -> None:
        """Have what was not taken tried again later, as long as it is not too old."""
        if sent.failures == 1:
            text = "events of stack %s are not taken by %s and wait: %s"
            _LOG.warning(text, sink.stack_id, to.place, error)
        now = self._database.now()
        sent = replace(sent, due=now + pause(sent.failures), given_up=now - to.ttl)
        given_up = self._settle(sink, sent)
        if given_up:
            text = "gave up %d events of stack %s that %s has not taken in %d s: %s"
            _LOG.warning(text, given_up, sink.stack_id, to.place, to.ttl, error)

    def _send(
        self, to: Webhook, found: list[Owed], until: float
    ) -> tuple[list[Owed], Unfetched | None]:
        """Send the events, one after the other; return those sent, and why the next was not."""
        done: list[Owed] = []
        for each in found:
            if self._is_over(until):
                break
            if (error := self._sent(to, each)) is not None:
                return done, error
            done.append(each)
        return done, None

    def _go_past(self, to: Webhook, found: list[Owed], until: float) -> list[Owed]:
        """Send the events after the first, which is refused, until one is taken.

        Return that one with those before it; none, where it is not this or that event which the
        receiver does not want, but all of them: then none is to be lost.
        """
        for place, each in enumerate(found[1 : 1 + AFTER_IT], 2):
            if self._is_over(until):
                break
            error = self._sent(to, each)
            if error is None:
                return found[:place]
            if not is_final(error):
                break
        return []

    def _is_over(self, until: float) -> bool:
        return self._stopping.is_set() or time.monotonic() > until

    def _sent(self, to: Webhook, owed: Owed) -> Unfetched | None:
        """Send an event; return why it was not taken."""
        body = webhook.message(owed, self._database.sealer)
        now = self._database.now()
        try:
            self._post(to.target, body, webhook.headers(owed.event.uuid, body, now, to.key))
        except Unfetched as error:
            return error
        return None

    def _settle(self, sink: Taken, sent: Sent) -> int:
        now = self._database.now()
        return self._database.again(partial(deliveries.settle, sink=sink, sent=sent, now=now))


def is_final(error: Unfetched) -> bool:
    """Tell whether the receiver has said that it does not want what it was sent."""
    return isinstance(error, Refused) and error.status in _REFUSING


def pause(failures: int) -> float:
    """Return the seconds until it is tried again, after so many failures in a row."""
    most = min(LONGEST_PAUSE, 2.0 ** min(failures - 1, 20))
    return most * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
