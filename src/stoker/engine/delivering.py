"""Send the events of stacks to the webhooks that their environments name.

Rule: neither a stack nor another sink waits for one that is slow or away. Each sink has a thread
while something is sent to it, few of them for one host, and what fails is tried again later, until
the event is older than its ``ttl``. A target may hold a secret: the log names its host alone.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from stoker.engine import webhook
from stoker.engine.looking import Looking
from stoker.errors import Unfetched
from stoker.lang.sinks import Webhook
from stoker.store import deliveries
from stoker.store.database import DatabaseError
from stoker.store.deliveries import Sent
from stoker.store.passing import code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.store.database import Database
    from stoker.store.deliveries import Owed, Taken

LOOK_SECONDS: Final = 1.0
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
    """Looks for sinks to which something is owed, in a thread of its own."""

    def __init__(self, database: Database, post: Post) -> None:
        self._database, self._post = database, post
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
        take = partial(deliveries.take_up, now=now, until=until, most=room, busy=full)
        for sink in self._database.again(take):
            self._begin(sink)

    def _begin(self, sink: Taken) -> None:
        with self._guard:
            is_full = self._busy[sink.place] >= OF_A_PLACE
            if not is_full:
                self._busy[sink.place] += 1
                turn = threading.Thread(target=self._turn, args=(sink,), name="stoker-send")
                turn.daemon = True
                self._turns.add(turn)
                turn.start()
        if is_full:  # several of one place were due at once
            self._settle(sink, Sent(failures=sink.failures))

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
        with self._database.read() as connection:
            found, lost = deliveries.owed(connection, sink, BATCH)
        done, failure = self._send(to, found)
        if failure is None:
            failures = 0 if done else sink.failures
            self._settle(sink, Sent([*lost, *done], failures=failures))
            return
        failures = 1 if done else sink.failures + 1
        now = self._database.now()
        sent = Sent([*lost, *done], now + pause(failures), failures, given_up=now - to.ttl)
        if failures == 1:
            text = "events of stack %s are not taken by %s and wait: %s"
            _LOG.warning(text, sink.stack_id, to.place, failure)
        given_up = self._settle(sink, sent)
        if given_up:
            text = "gave up %d events of stack %s that %s has not taken in %d s: %s"
            _LOG.warning(text, given_up, sink.stack_id, to.place, to.ttl, failure)

    def _send(self, to: Webhook, found: list[Owed]) -> tuple[list[int], str | None]:
        """Send the events, one after the other; return those sent, and why the next was not."""
        done: list[int] = []
        until = time.monotonic() + TURN_SECONDS
        for each in found:
            if self._stopping.is_set() or time.monotonic() > until:
                break
            body = webhook.message(each, self._database.sealer)
            now = self._database.now()
            try:
                self._post(to.target, body, webhook.headers(each.event.uuid, body, now, to.key))
            except Unfetched as e:
                return done, str(e)
            done.append(each.id)
        return done, None

    def _settle(self, sink: Taken, sent: Sent) -> int:
        now = self._database.now()
        return self._database.again(partial(deliveries.settle, sink=sink, sent=sent, now=now))


def pause(failures: int) -> float:
    """Return the seconds until it is tried again, after so many failures in a row."""
    most = min(LONGEST_PAUSE, 2.0 ** min(failures - 1, 20))
    return most * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
