"""What Heat sent, case by case: stacks that real Heat took through their lives.

They were recorded from Heat 27.0.1. Kept are the changing requests that reached real services.
In them ``<net>`` is what there was before, by the name of the template's parameter; ``[port]`` is
a port that there was before this step, ``[new port]`` one that the step made, ``[name of x]`` the
physical name of resource x.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]
RECORDED = Path(__file__).parent / "recorded"
_REFUSED = 400


@dataclass(frozen=True, slots=True)
class Call:
    """One changing request: ``POST neutron /v2.0/ports``, its body and how it was answered."""

    call: str
    body: Any
    status: int

    @property
    def key(self) -> str:
        """The call as one line; two calls are the same when their lines are."""
        return f"{self.call} {json.dumps(self.body, sort_keys=True)}"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One operation on the stack; ``http`` is the answer to asking for it."""

    op: str
    template: Json | None
    http: int
    status: str | None
    changes: tuple[Call, ...]

    @property
    def is_refused(self) -> bool:
        """Whether Heat refused it before anything began."""
        return self.http >= _REFUSED


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One stack's life."""

    type_name: str
    name: str
    user: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.type_name.split('::')[-1]}: {self.name}"

    @property
    def fixtures(self) -> set[str]:
        """What must be there before: the names of all templates' parameters."""
        templates = (step.template for step in self.steps if step.template)
        return {name for each in templates for name in each.get("parameters", {})}


@lru_cache
def cases() -> tuple[Case, ...]:
    """Return every case of the types that there are."""
    return tuple(each for path in sorted(RECORDED.glob("*.json")) for each in _read(path))


def _read(path: Path) -> Iterator[Case]:
    text = json.loads(path.read_text(encoding="utf-8"))
    for each in text["cases"]:
        steps = tuple(_step(step, each["template"]) for step in each["steps"])
        yield Case(text["type"], each["name"], each["user"], steps)


def _step(step: Json, first: Json) -> Step:
    template = first if step["op"] == "create" else step.get("template")
    changes = tuple(Call(c["call"], c.get("body"), c["status"]) for c in step["changes"])
    return Step(step["op"], template, step["http"], step["status"], changes)
