"""A cloud of things, in one process and in virtual time: slow, forgetful, late, and often refusing.

What it promises is what the engine relies on: a GET by id tells the truth; a call has its
effect within the client's plus the service's time-out after it was sent, or never; a list shows
what was made by the end of that time, or at once where the service has answered with an error.
A call that was sent has its effect whether its sender lives or not. No update comes late,
nor what is done to a relation: that it could hit the next one is written down as a limit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from stoker.errors import CloudError, CloudNotFound
from stoker.sdk.fault import IN_ERROR, NO_ENDPOINT, TAKEN

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from stoker.sdk.cloud import Guard
    from tests.engine.simulation.stage import Actor, Stage

T = TypeVar("T")

CLIENT_SECONDS = 6.0
SERVICE_SECONDS = 9.0
TRANSIT_SECONDS = 1.0
SERVICE = "network"
COPY = "copy"
"""The kind of what a snapshot keeps."""


class Fate(StrEnum):
    """What becomes of a call that changes something."""

    ANSWERED = "answered"
    BUSY = "refused because something is busy"
    TOO_MANY = "refused because there are too many requests"
    DOWN = "not done, and an error of the service"
    REFUSED = "refused for good"
    BROKEN = "done, and an error of the service after it"
    LOST = "done, and the answer lost"
    LATE = "done after the client has given up"
    CUT = "not done, and no answer"
    UNREACHED = "never sent"
    NO_ENDPOINT = "never sent, for want of an endpoint"


_STATUS = {Fate.BUSY: 409, Fate.TOO_MANY: 429, Fate.DOWN: 503, Fate.REFUSED: 403, Fate.BROKEN: 500}
_WEIGHTS = {
    Fate.BUSY: 6, Fate.TOO_MANY: 3, Fate.DOWN: 5, Fate.REFUSED: 2,
    Fate.BROKEN: 4, Fate.LOST: 6, Fate.LATE: 6, Fate.CUT: 4, Fate.UNREACHED: 3,
    Fate.NO_ENDPOINT: 1,
}  # fmt: skip
_SHARE = 0.4
"""How many of the calls go wrong in a cloud with ``trouble`` 1; 2 is about the most."""
_EFFECT = frozenset({Fate.ANSWERED, Fate.BROKEN, Fate.LOST, Fate.LATE})
_SILENT = frozenset({Fate.LOST, Fate.LATE, Fate.CUT})
_UNSENT = frozenset({Fate.UNREACHED, Fate.NO_ENDPOINT})


@dataclass
class Thing:
    """An object; ``maker`` is the uuid of the row whose step made it ("": somebody else)."""

    id: str
    kind: str
    maker: str
    body: dict[str, Any]
    shown_from: float  # in lists
    ready_from: float
    is_sick: bool = False
    gone_from: float | None = None
    is_asleep: bool = False


@dataclass
class Sky:
    """The cloud. ``trouble`` is how much of it goes wrong; ``called`` hears of each call
    that changes something as it is sent."""

    stage: Stage
    chance: random.Random
    trouble: float
    called: Callable[[Actor, str], None]
    things: dict[str, Thing] = field(default_factory=dict)
    made: int = 0
    heeded: Counter[int] = field(default_factory=Counter)  # signals, by number
    shown_by: float = 0.0  # when a list must show what is made now
    unseen: dict[str, float] = field(default_factory=dict)  # when no right to look was left, by id
    displaced: dict[str, float] = field(default_factory=dict)  # when another row took it, by id

    def reach(self, guard: Guard, log_in: Callable[[], None] = lambda: None) -> Reach:
        """Return the cloud as one step gets it; ``log_in`` goes before each call."""
        return Reach(self, guard, log_in)

    # calls, for Reach and the keeper of trusts

    def change(
        self, guard: Guard, method: str, path: str, effect: Callable[[], T],
        log_in: Callable[[], None] = lambda: None,
    ) -> T:  # fmt: skip
        """Make a call that changes something, if the guard lets it pass."""
        guard.before(SERVICE, method, path)
        self.called(self.stage.acting, f"{method} {path}")
        try:
            log_in()
            is_late_bad = method == "PUT" or path.startswith("/rel-")
            return self.send(effect, may_be_late=not is_late_bad)
        finally:
            guard.after(SERVICE, method, path)

    def send(self, effect: Callable[[], T], *, may_be_late: bool = True) -> T:
        """Send what has an effect, and wait for the answer; not ``may_be_late`` is what may hit
        a successor of what it was meant for: a known limit."""
        fate = self._fate()
        return self._sent(Fate.LOST if fate is Fate.LATE and not may_be_late else fate, effect)

    def read(self, answer: Callable[[], T]) -> T:
        """Make a call that changes nothing."""
        self.stage.sleep(self._latency())
        if self.chance.random() < 0.06 * self.trouble:
            status = self.chance.choice((None, 503, 429))
            if status is None:
                self.stage.sleep(CLIENT_SECONDS)
            raise CloudError("no answer to a read", service=SERVICE, status=status)
        found = answer()
        self.stage.sleep(self._latency())
        return found

    def _sent(self, fate: Fate, effect: Callable[[], T]) -> T:
        if fate in _UNSENT:
            code = NO_ENDPOINT if fate is Fate.NO_ENDPOINT else ""
            raise CloudError(str(fate), service=SERVICE, sent=False, code=code)
        sent, answers = self.stage.now, list[T]()
        errors: list[CloudError] = []
        shown_by = sent if fate is Fate.BROKEN else sent + CLIENT_SECONDS + SERVICE_SECONDS

        def arrive() -> None:
            self.shown_by = shown_by
            try:
                answers.append(effect())
            except CloudError as e:
                errors.append(e)

        arrival = sent + self._latency()
        if fate is Fate.LATE:
            arrival += CLIENT_SECONDS + self.chance.uniform(0.0, SERVICE_SECONDS - TRANSIT_SECONDS)
        if fate in _EFFECT:
            self.stage.at(arrival, arrive)
        self.stage.wait(sent + CLIENT_SECONDS if fate in _SILENT else arrival + self._latency())
        if fate is Fate.ANSWERED:
            if errors:
                raise errors[0]
            return answers[0]
        after = self.chance.uniform(1, 5) if fate is Fate.TOO_MANY else None
        raise CloudError(str(fate), service=SERVICE, status=_STATUS.get(fate), retry_after=after)

    def _fate(self) -> Fate:
        if self.chance.random() >= self.trouble * _SHARE:
            return Fate.ANSWERED
        return self.chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]

    def _latency(self) -> float:
        """Return seconds: mostly few, so that much happens within a lease."""
        return self.chance.random() ** 3 * TRANSIT_SECONDS

    # effects and answers, at one moment

    def make(self, kind: str, id: str, maker: str, body: dict[str, Any], *, slow: bool) -> str:
        """Make a thing; raises CloudError where the id is taken, or what it is on is gone."""
        if self.find(id) is not None:
            raise CloudError(f"{id} is there", service=SERVICE, status=409, code=TAKEN)
        missing = [each for each in body["on"] if self.find(each) is None]
        if missing:
            raise CloudError(f"there is no {missing}", service=SERVICE, status=400)
        now = self.stage.now
        lag = self.chance.choice((0.0, 0.0, 1.0)) * self.trouble * CLIENT_SECONDS
        sick = slow and self.chance.random() < 0.15 * self.trouble
        ready = now + (self.chance.uniform(0.0, 20.0) if slow else 0.0)
        shown = max(now, min(now + lag, self.shown_by))
        self.things[id] = Thing(id, kind, maker, body, shown, ready, sick)
        return id

    def find(self, id: str) -> Thing | None:
        """Return what is there now under the id."""
        thing = self.things.get(id)
        if thing is not None and thing.gone_from is not None and thing.gone_from <= self.stage.now:
            del self.things[id]
            return None
        return thing

    def shown(self, id: str) -> Thing:
        """Return it; raises CloudNotFound."""
        thing = self.find(id)
        if thing is None:
            raise CloudNotFound(f"there is no {id}", service=SERVICE, status=404)
        return thing

    def take(self, id: str, *, slow: bool) -> None:
        """Begin to delete it; raises CloudNotFound, or CloudError while others are on it."""
        thing = self.shown(id)
        users = [each.id for each in self.living() if id in each.body["on"]]
        if users:
            raise CloudError(f"{users} are on {id}", service=SERVICE, status=409)
        thing.gone_from = self.stage.now + (self.chance.uniform(0.0, 10.0) if slow else 0.0)
        self.find(id)

    def living(self) -> list[Thing]:
        """Return all that is there."""
        return [each for id in list(self.things) if (each := self.find(id)) is not None]


@dataclass(frozen=True)
class Reach:
    """What a type gets as its cloud; each method is one call."""

    sky: Sky
    guard: Guard
    log_in: Callable[[], None]

    def post(self, kind: str, body: dict[str, Any], *, id: str = "", slow: bool = False) -> str:
        """Make a thing and return its id, which the service gives unless it is told."""
        sky = self.sky
        sky.made += 1
        chosen = id or f"{kind}{sky.made}"
        maker = _maker(sky.stage.acting)
        return self._change(
            "POST", f"/{kind}", lambda: sky.make(kind, chosen, maker, body, slow=slow)
        )

    def put(self, id: str, **changes: Any) -> None:
        """Change what a thing says of itself."""
        self._change("PUT", f"/{id}", lambda: self.sky.shown(id).body.update(changes))

    def heed(self, id: str, signal: int) -> None:
        """Do with a thing what a signal says."""

        def effect() -> None:
            self.sky.shown(id)
            self.sky.heeded[signal] += 1

        self._change("PUT", f"/{id}/heed", effect)

    def lull(self, id: str, *, asleep: bool) -> None:
        """Put a thing to sleep, or wake it."""

        def effect() -> None:
            self.sky.shown(id).is_asleep = asleep

        self._change("PUT", f"/{id}/state", effect)

    def delete(self, id: str, *, slow: bool = False) -> None:
        """Begin to delete a thing; raises CloudNotFound."""
        sky, row = self.sky, _maker(self.sky.stage.acting)

        def effect() -> None:
            if sky.shown(id).maker not in ("", row):
                sky.displaced[id] = sky.stage.now
            sky.take(id, slow=slow)

        self._change("DELETE", f"/{id}", effect)

    def get(self, id: str) -> Thing:
        """Return a thing; raises CloudNotFound."""
        try:
            self.log_in()
        except CloudError:
            self.sky.unseen[id] = self.sky.stage.now
            raise
        return self.sky.read(lambda: self.sky.shown(id))

    def list(self, kind: str, **filters: Any) -> list[Thing]:
        """Return what is shown of a kind: not yet all that there is."""

        def answer() -> list[Thing]:
            now = self.sky.stage.now
            return [
                each
                for each in self.sky.living()
                if each.kind == kind and each.shown_from <= now
                if all(each.body.get(name) == value for name, value in filters.items())
            ]

        return self._read(answer)

    def ready(self, id: str) -> bool:
        """Tell whether a thing is ready; raises CloudError where it went to an error state."""
        thing = self.get(id)
        if thing.ready_from > self.sky.stage.now:
            return False
        if thing.is_sick:
            raise CloudError(f"{id} is sick", service=SERVICE, status=500, code=IN_ERROR)
        return True

    def _change(self, method: str, path: str, effect: Callable[[], T]) -> T:
        return self.sky.change(self.guard, method, path, effect, self.log_in)

    def _read(self, answer: Callable[[], T]) -> T:
        self.log_in()
        return self.sky.read(answer)


def _maker(actor: Actor) -> str:
    return "" if actor.claim is None else str(actor.claim.row.uuid)
