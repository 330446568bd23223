"""Runs a scenario on a cloud and tells every step whose answer differs.

Rule: it knows no cloud from another; whatever was made is deleted at the end, last things first,
and what cannot be deleted is told as well.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.agreement.step import GONE, SOME, Json, Scenario, Step, Unknown, at, filled

VERSIONS = {"compute": "compute 2.90", "volumev3": "volume 3.70"}
"""Of the calls, as the header names them."""
_SHOWN = 300
_ADDED, _REMOVED = "/add_router_interface", "/remove_router_interface"


@dataclass(frozen=True, slots=True)
class Cloud:
    """Where to run: keystoneauth sessions by who they are, and what ``{names}`` stand for.

    ``seconds`` is how long something may take there, ``look`` how long to wait between looks.
    """

    sessions: Mapping[str, Any]
    names: Mapping[str, str]
    seconds: float
    look: float

    def request(self, step: Step) -> Answer:
        """Send a step's request, whose names are filled in."""
        session = self.sessions["member" if step.who == "nobody" else step.who]
        root = re.sub(r"/v\d[^/]*(/.*)?$", "", session.get_endpoint(service_type=step.service))
        headers = {**step.headers}
        if step.service in VERSIONS:
            headers.setdefault("OpenStack-API-Version", VERSIONS[step.service])
        raw = isinstance(step.body, bytes)
        found = session.request(
            root.rstrip("/") + step.path,
            step.method,
            headers=headers,
            authenticated=step.who != "nobody",
            raise_exc=False,
            redirect=False,
            **({"data": step.body} if raw else {} if step.body is None else {"json": step.body}),
        )
        return Answer(found.status_code, found.headers, _parsed(found))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; ``body`` is parsed where it is JSON."""

    status: int
    headers: Mapping[str, str]
    body: Json

    def at(self, place: str) -> Json:
        """Return what stands at a place."""
        return self.headers.get(place[1:], GONE) if place[0] == "@" else at(place, self.body)


def _parsed(found: Any) -> Json:
    """Return what a body says; an empty one may call itself JSON."""
    is_json = "json" in found.headers.get("Content-Type", "") and found.content
    return found.json() if is_json else found.text


def differences(cloud: Cloud, scenario: Scenario) -> list[str]:
    """Run a scenario and return a line for each step that differs, and for each thing left."""
    run = _Run(cloud)
    told = []
    try:
        for number, step in enumerate(scenario.steps, 1):
            lines = run.step(step)
            told += [f"{number}. {step.who} {step.method} {step.path}: {line}" for line in lines]
    finally:
        told += run.cleaned()
    return told


class _Run:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._names = dict(cloud.names)
        self._undo: list[Step] = []

    def step(self, step: Step) -> list[str]:
        try:
            step = _known(step, self._names)
        except Unknown as unknown:
            return [str(unknown)]
        answer, lines = self._asked(step)
        self._keep(step, answer)
        undo = _undo(step, answer)
        if undo is not None:
            self._undo.append(undo)
        return lines

    def _asked(self, step: Step) -> tuple[Answer, list[str]]:
        until = time.monotonic() + (self._cloud.seconds if step.patient else 0)
        while True:
            answer = self._cloud.request(step)
            lines = _compared(step, answer)
            if not lines or time.monotonic() >= until:
                return answer, lines
            time.sleep(self._cloud.look)

    def _keep(self, step: Step, answer: Answer) -> None:
        for name, place in step.keep.items():
            value = answer.at(place)
            if value != GONE:
                self._names[name] = str(value)

    def cleaned(self) -> list[str]:
        """Delete what was made until it is gone; return what would not go."""
        return [f"left: {told}" for undo in reversed(self._undo) for told in self._asked(undo)[1]]


def _known(step: Step, names: Mapping[str, str]) -> Step:
    return Step(
        step.service,
        step.method,
        filled(step.path, names),
        step.status,
        filled(step.body, names),
        filled(step.see, names),
        step.keep,
        step.patient,
        step.who,
        filled(step.headers, names),
    )


def _compared(step: Step, answer: Answer) -> list[str]:
    told = []
    if answer.status != step.status:
        shown = json.dumps(answer.body)[:_SHOWN]
        told.append(f"{answer.status} instead of {step.status}: {shown}")
    for place, wanted in step.see.items():
        found = answer.at(place)
        if not (found not in (None, GONE) if wanted == SOME else found == wanted):
            told.append(f"{place} is {found!r} instead of {wanted!r}")
    return told


def _undo(step: Step, answer: Answer) -> Step | None:
    """Return the request to repeat until it says that there is nothing (any more)."""
    if answer.status >= 300:
        return None
    if step.method == "PUT" and step.path.endswith(_ADDED):
        path = step.path.removesuffix(_ADDED) + _REMOVED
        return Step(step.service, "PUT", path, 404, step.body, patient=True, who=step.who)
    id = _id(answer.body) if step.method == "POST" else None
    if id is None or step.path.endswith("/action"):
        return None
    who = "member" if step.who == "nobody" else step.who
    return Step(step.service, "DELETE", f"{step.path}/{id}", 404, patient=True, who=who)


def _id(body: Json) -> str | None:
    """Return the id of what a body shows, with or without a word around it."""
    if isinstance(body, dict) and len(body) == 1:
        body = next(iter(body.values()))
    if not isinstance(body, dict):
        return None
    return body.get("id") or (body.get("name") if "fingerprint" in body else None)
