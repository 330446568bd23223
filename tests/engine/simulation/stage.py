"""Time and turns: who acts next, in a world of one thread whose clock stands while anybody acts.

An actor is a greenlet; it acts without interruption until it waits. Actors belong to processes,
which can be killed and paused; whoever is due first goes on, by virtual time. Nothing here is
random: the same waits give the same run.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from queue import Empty
from typing import TYPE_CHECKING, Generic, TypeVar

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]  # it has no types

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.claims import Claim

T = TypeVar("T")

START = 1_800_000_000.0
"""When each run begins, in seconds since the epoch."""
DAY = 86_400.0


class Killed(BaseException):
    """Ends an actor of a killed process, whatever it is doing."""


class Stuck(AssertionError):
    """Nothing is going to happen any more, or not within a virtual day."""


class Process:
    """What dies and stands still as a whole; its own clocks differ from the world's, and those
    of the same ``machine`` know when it has ended."""

    def __init__(
        self, name: str, *, wall: float = 0.0, boot: float = 0.0, machine: str = ""
    ) -> None:
        self.name, self.wall, self.boot, self.machine = name, wall, boot, machine
        self.is_alive = True
        self.paused_until = 0.0
        self.actors: list[Actor] = []

    def __repr__(self) -> str:
        return self.name


class Actor:
    """One thing that a process does; ``job`` runs until it ends, or its process is killed."""

    def __init__(self, process: Process, name: str, job: Callable[[], None]) -> None:
        self.process, self.name, self._job = process, name, job
        self.greenlet = greenlet(self._run)
        self.turn = 0  # a wake-up for an earlier wait is none any more
        # What it is about, for whoever watches.
        self.claim: Claim | None = None
        self.calls = 0  # for that claim
        self.landing: list[Claim] = []  # whose results it commits
        self.engine_id = ""
        self.is_writing = False
        self.converges = False  # the update that it asks for

    def _run(self) -> None:
        try:
            self._job()
        except Killed:
            if self.process.is_alive:
                raise


class Stage:
    """The virtual clock and everybody who waits for it."""

    def __init__(self) -> None:
        self.now = START
        self.current: Actor | None = None
        self._waiting: list[tuple[float, int, Actor | Callable[[], None], int]] = []
        self._order = itertools.count()
        self._main = getcurrent()

    # for whoever stands outside

    def start(self, process: Process, name: str, job: Callable[[], None]) -> Actor:
        """Begin a new actor of a process, now."""
        actor = Actor(process, name, job)
        actor.greenlet.parent = self._main
        process.actors.append(actor)
        self._push(self.now, actor, actor.turn)
        return actor

    def at(self, when: float, happening: Callable[[], None]) -> None:
        """Let something happen by itself that no process can stop."""
        self._push(when, happening, 0)

    def kill(self, process: Process) -> None:
        """Let no actor of the process do anything more."""
        process.is_alive = False
        for actor in process.actors:
            actor.turn += 1
            if actor is not self.current:
                self._push(0.0, actor, actor.turn)

    def run(self, is_over: Callable[[], bool]) -> None:
        """Let everybody act in order of time until it is over; raises Stuck."""
        while not is_over():
            if not self._waiting or self.now > START + DAY:
                raise Stuck("nothing goes on any more")
            when, _, who, turn = heapq.heappop(self._waiting)
            if isinstance(who, Actor):
                self._act(when, who, turn)
            else:
                self.now = max(self.now, when)
                who()

    def end(self) -> None:
        """Kill whoever is left."""
        for _, _, who, _ in list(self._waiting):
            if isinstance(who, Actor) and who.process.is_alive:
                self.kill(who.process)
        while self._waiting:
            when, _, who, turn = heapq.heappop(self._waiting)
            if isinstance(who, Actor) and not who.process.is_alive:
                self._act(when, who, turn)

    def _act(self, when: float, actor: Actor, turn: int) -> None:
        process = actor.process
        if turn != actor.turn or actor.greenlet.dead:
            return
        if process.is_alive and process.paused_until > when:
            self._push(process.paused_until, actor, turn)
            return
        self.now = max(self.now, when)
        self.current = actor
        try:
            if process.is_alive:
                actor.greenlet.switch()
            elif actor.greenlet:  # one that never began has nothing to end
                actor.greenlet.throw(Killed)
        finally:
            self.current = None

    def _push(self, when: float, who: Actor | Callable[[], None], turn: int) -> None:
        heapq.heappush(self._waiting, (when, next(self._order), who, turn))

    # for the actor whose turn it is

    @property
    def acting(self) -> Actor:
        """The actor whose turn it is."""
        if self.current is None:
            raise AssertionError("nobody acts")
        return self.current

    def sleep(self, seconds: float) -> None:
        """Let the acting one wait; raises Killed in the actor of a killed process."""
        self.wait(self.now + seconds)

    def wait(self, until: float | None) -> None:
        """Let the acting one wait until then, or until it is woken."""
        actor = self.acting
        if not actor.process.is_alive:
            raise Killed
        actor.turn += 1
        if until is not None:
            self._push(until, actor, actor.turn)
        self._main.switch()

    def wake(self, actor: Actor) -> None:
        """Let a waiting actor go on now."""
        if actor.process.is_alive and not actor.greenlet.dead:
            actor.turn += 1
            self._push(self.now, actor, actor.turn)


class Mailbox(Generic[T]):
    """A queue between actors, as ``queue.SimpleQueue`` is between threads."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._items: deque[T] = deque()
        self._readers: deque[Actor] = deque()

    def put(self, item: T) -> None:
        """Add an item and wake who waits for one."""
        self._items.append(item)
        if self._readers:
            self._stage.wake(self._readers.popleft())

    def get(self, timeout: float | None = None) -> T:
        """Return the next item; raises Empty after the time-out (None: never)."""
        until = None if timeout is None else self._stage.now + timeout
        while not self._items:
            if until is not None and self._stage.now >= until:
                raise Empty
            me = self._stage.acting
            self._readers.append(me)
            try:
                self._stage.wait(until)
            finally:
                if me in self._readers:
                    self._readers.remove(me)
        return self._items.popleft()

    def get_nowait(self) -> T:
        """Return the next item; raises Empty."""
        if not self._items:
            raise Empty
        return self._items.popleft()
