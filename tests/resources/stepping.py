"""Leads a type through its verbs as an engine does: commit, ask again, look when in doubt."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from stoker.errors import CloudError
from stoker.resources.index import Index
from stoker.sdk.resource import At, Done, Next, Resource, StackInfo, Step, Wait
from tests.resources.toy_cloud import ToyCloud

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud

INDEX = Index()
STACK = StackInfo("stack-id", "stack", "project")
MOST_STEPS = 60


def kind_of(type_name: str) -> Resource[Any]:
    """Return a type by its name; it must be there."""
    found = INDEX.get(type_name)
    assert found is not None
    return found


def counted() -> Callable[[int], bytes]:
    """Return an entropy that is the same each time."""
    number = itertools.count(7)
    return lambda n: bytes((next(number) * 37) % 256 for _ in range(n))


def standing(type_name: str, given: Mapping[str, Any], **more: Any) -> At[Any]:
    """Return where a verb of a fresh resource stands."""
    kind = kind_of(type_name)
    props = kind.Props.parse(given)
    named = {"policy": kind.Policy, **more}
    return At(props, "stack-res-abc", "mark-1", "res", STACK, counted(), **named)


@dataclass
class Life:
    """A resource through its verbs in a toy cloud, its row as an engine keeps it."""

    type_name: str
    cloud: ToyCloud
    id: str | None = None
    stored: Mapping[str, Any] = field(default_factory=dict)
    applied: Mapping[str, Any] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def create(self, given: Mapping[str, Any]) -> None:
        self._run("create", given, standing(self.type_name, given, stored=self.stored))

    def update(self, given: Mapping[str, Any]) -> None:
        old = kind_of(self.type_name).Props.parse(self.applied or {})
        at = standing(self.type_name, given, id=self.id, stored=self.stored, old=old)
        self._run("update", given, replace(at, changed=at.props.changed(old)))

    def delete(self) -> None:
        at = standing(self.type_name, self.applied or {}, id=self.id, stored=self.stored)
        self._run("delete", self.applied or {}, at)
        self.id = None

    def _run(self, verb: str, given: Mapping[str, Any], at: At[Any]) -> None:
        for _ in range(MOST_STEPS):
            step = self._step(verb, at)
            if isinstance(step, Done):
                self.id = step.id or at.id
                self.stored = _json(step.data)
                self.applied, self.attributes = given, _json(step.attributes)
                return
            at = _after(at, step)
        raise AssertionError(f"{verb} does not end")

    def _step(self, verb: str, at: At[Any]) -> Step:
        before = len(self.cloud.changes)
        kind, cloud = kind_of(self.type_name), cast("Cloud", self.cloud)
        try:
            step: Step = getattr(kind, verb)(at, cloud)
        except CloudError as e:
            if e.status is not None:
                raise
            in_doubt = verb == "create" and at.id is None
            step = (kind.find(at, cloud) if in_doubt else None) or Next(data=at.data)
        assert len(self.cloud.changes) <= before + 1, "more than one change in a step"
        return step


def _after(at: At[Any], step: Step) -> At[Any]:
    assert isinstance(step, Next | Wait)
    data = at.data if step.data is None else _json(step.data)
    return replace(at, id=step.id or at.id, data=data)


def _json(value: Any) -> Any:
    return json.loads(json.dumps(value))
