"""Leads a plugin's type through its verbs as an engine does; a step may be another process's."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from stoker.classic.adapter import Classic, adapted
from stoker.classic.memory import Memory
from stoker.sdk.resource import At, Done, Next, StackInfo, Step, Wait

if TYPE_CHECKING:
    from stoker.classic.resource import Resource
    from stoker.errors import CloudError, StokerError
    from stoker.sdk.cloud import Cloud

MOST_STEPS = 30


@dataclass
class Session:
    """What a plugin's calls went through; a test says how they went."""

    changes: int = 0
    stopped: StokerError | None = None
    meant: CloudError | None = None  # what any error of a client means

    def cloud_error(self, error: BaseException) -> CloudError | None:
        return self.meant

    def take_over(self, other: Session) -> None:
        self.changes, self.stopped, self.meant = other.changes, other.stopped, other.meant


@dataclass
class ToyCloud:
    """Gives each step a session of its own."""

    sessions: list[Session] = field(default_factory=list)

    def session(self) -> Session:
        self.sessions.append(Session())
        return self.sessions[-1]


@dataclass
class Life:
    """A resource of a plugin's type, its row as an engine keeps it."""

    plugin: type[Resource]
    id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    applied: Mapping[str, Any] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    policy: Mapping[str, Any] = field(default_factory=dict)
    cloud: ToyCloud = field(default_factory=ToyCloud)
    _runs: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Go on in another process: nothing is there but what the row has."""
        self.kind: Classic = adapted("T::It", self.plugin, Memory(), 0.25)

    def at(self, given: Mapping[str, Any], **more: Any) -> At[Any]:
        props = self.kind.Props.parse(given)
        return At(
            props, "stack-it-abc", "stoker-uuid-1", "it", StackInfo("s-id", "stack", "p-id"),
            self._entropy, self.id, self.data, self.stored, metadata={"a": 1},
            policy=lambda: self.kind.Policy.parse(self.policy), **more,
        )  # fmt: skip

    def begin(self, verb: str, **given: Any) -> None:
        """Take the first step of a verb."""
        self.data = {}
        self.step(verb, **given)

    def step(self, verb: str, **given: Any) -> Step:
        """Take a step, and record what came of it."""
        more = {}
        if verb == "update":
            old = self.kind.Props.parse(self.applied)
            more = {"old": old, "changed": self.kind.Props.parse(given).changed(old)}
        step = getattr(self.kind, verb)(self.at(given, **more), self._cloud)
        self._record(step, given)
        return cast("Step", step)

    def run(self, verb: str, **given: Any) -> None:
        """Take all steps of a verb."""
        self.data = {}
        for _ in range(MOST_STEPS):
            if isinstance(self.step(verb, **given), Done):
                return
        raise AssertionError(f"{verb} does not end")

    def go_on(self, verb: str, **given: Any) -> None:
        """Take the steps that are left."""
        for _ in range(MOST_STEPS):
            if isinstance(self.step(verb, **given), Done):
                return
        raise AssertionError(f"{verb} does not end")

    def look(self) -> None:
        """Look for what a create that was cut off has made."""
        found = self.kind.find(self.at({}), self._cloud)
        assert found is not None
        self._record(found, {})

    @property
    def _cloud(self) -> Cloud:
        return cast("Cloud", self.cloud)

    def record(self, step: Step) -> None:
        """Record what came of a step that was taken elsewhere."""
        self._record(step, self.applied)

    def _record(self, step: Step, given: Mapping[str, Any]) -> None:
        match step:
            case Done(attributes=attributes, id=id, data=data):
                self.attributes, self.stored, self.data = _json(attributes), _json(data), {}
                self.applied = given
            case Next(id=id, data=data):
                self.data = _json(data)
            case Wait(seconds=seconds, data=data, id=id):
                self.waits.append(seconds)
                self.data = self.data if data is None else _json(data)
            case _:
                raise AssertionError(step)
        self.id = id or self.id

    def _entropy(self, n: int) -> bytes:
        return next(self._runs).to_bytes(n, "big")


def given_up(life: Life) -> None:
    """Take what a create has left to where a delete finds it, as an engine does."""
    life.stored, life.data = {**life.stored, **life.data}, {}


def _json(value: Any) -> Any:
    return json.loads(json.dumps(value))
