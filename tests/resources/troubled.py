"""A type's life in the embedded cloud, where the answer to one chosen call is lost.

Rule: the call itself is made; whoever made it hears a connection that broke. What is in the
cloud afterwards is told by the cloud, not by the resource.
"""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import requests

from stoker.clouds.one_cloud import OneCloud
from stoker.errors import CloudError
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import At, Done, Next, Step, Wait
from tests.resources.stepping import kind_of, standing

MOST_STEPS = 200
PAUSE = 0.01  # due times are the engine's; the cloud's latencies are of this size
_NUMBERS = itertools.count()


@dataclass
class Losing:
    """A guard that counts changing calls, and loses the answer to one of them."""

    lose: int | None = None
    calls: list[str] = field(default_factory=list)

    def before(self, service: str, method: str, path: str) -> None:
        self.calls.append(f"{service} {method} {path}")

    def after(self, service: str, method: str, path: str) -> None:
        if self.lose == len(self.calls) - 1:
            raise CloudError("no answer", service=service)


@dataclass
class Troubled:
    """A resource through its verbs, its row as an engine keeps it; each has a mark of its own."""

    cloud: OneCloud
    guard: Losing
    type_name: str
    id: str | None = None
    stored: Mapping[str, Any] = field(default_factory=dict)
    applied: Mapping[str, Any] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    number: int = field(default_factory=lambda: next(_NUMBERS))

    def create(self, given: Mapping[str, Any]) -> None:
        self._run("create", given, self._at(given))

    def update(self, given: Mapping[str, Any]) -> None:
        old = kind_of(self.type_name).Props.parse(self.applied or {})
        at = replace(self._at(given), old=old)
        self._run("update", given, replace(at, changed=at.props.changed(old)))

    def delete(self) -> None:
        self._run("delete", self.applied or {}, self._at(self.applied or {}))
        self.id = None

    def _at(self, given: Mapping[str, Any]) -> At[Any]:
        at = standing(self.type_name, given, id=self.id, stored=self.stored)
        mark = f"stoker-troubled-{self.number}"
        return replace(at, name=f"stack-res-{self.number}", mark=mark)

    def _run(self, verb: str, given: Mapping[str, Any], at: At[Any]) -> None:
        for _ in range(MOST_STEPS):
            step = self._step(verb, at)
            if isinstance(step, Done):
                self.id = step.id or at.id
                self.stored = _json(step.data)
                self.applied, self.attributes = given, _json(step.attributes)
                return
            assert isinstance(step, Next | Wait)
            if isinstance(step, Wait):
                time.sleep(PAUSE)
            at = replace(
                at,
                id=step.id or at.id,
                data=at.data if step.data is None else _json(step.data),
            )
        raise AssertionError(f"{verb} does not end: {at.data}")

    def _step(self, verb: str, at: At[Any]) -> Step:
        before = len(self.guard.calls)
        kind = kind_of(self.type_name)
        try:
            step: Step = getattr(kind, verb)(at, self.cloud)
        except CloudError as e:
            if fault(e) is Fault.BUSY:
                return Wait()
            if e.status is not None:
                raise
            in_doubt = verb == "create" and at.id is None
            step = (kind.find(at, self.cloud) if in_doubt else None) or Next(data=at.data)
        made = self.guard.calls[before:]
        assert len(made) <= 1, f"more than one changing call in a step: {made}"
        return step


def census(url: str) -> Counter[str]:
    """Return how many objects of each kind the cloud has."""
    rows = requests.get(f"{url}/devcloud/objects", timeout=10).json()["objects"]
    return Counter(str(row["kind"]) for row in rows if not str(row["kind"]).startswith("identity"))


def _json(value: Any) -> Any:
    return json.loads(json.dumps(value))
