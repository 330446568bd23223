"""Takes a stack of ours through the life of a recorded one and tells what reached the services.

Rule: ids and names are told as the recorded ones are, so that the two can be laid side by side.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable
from typing import Any, Final

from tests.e2e.rest import Json, Stack
from tests.resources.requests.case import Call, Case, Step
from tests.resources.requests.place import Place

_SERVICES: Final = {
    "network": ("neutron", "/networking"),
    "compute": ("nova", "/compute"),
    "image": ("glance", "/image"),
    "volume": ("cinder", "/volume"),
}
_ACTIONS: Final = ("check", "suspend", "resume")
_KINDS: Final = {"type": "volume_type"}
_CHANGING: Final = ("POST", "PUT", "PATCH", "DELETE")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_REFUSED: Final = 300
_SECONDS, _LOOK = 60.0, 0.2
_NUMBERS = itertools.count(1)


class Life:
    """One case in one project; ``told`` goes through it step by step."""

    def __init__(self, case: Case, place: Place) -> None:
        self.case, self.place = case, place
        self.stack: Stack | None = None
        self.name = f"s{next(_NUMBERS)}"
        self._given = {name: place.id(name) for name in sorted(case.fixtures)}

    def told(self) -> Iterable[tuple[Step, str, list[Call]]]:
        """Yield each step, the status it ended in (or the refusal), and what it changed."""
        self.place.learn()
        self.place.log()
        for step in self.case.steps:
            old = set(self.place.kinds)
            ended = self._step(step)
            self.place.learn()
            entries = self.place.log()
            yield step, ended, [self._call(e, old) for e in entries if _changes(e)]

    def end(self) -> None:
        """Delete what a life that was not told to its end has left."""
        if self.stack is not None and self.stack.delete().status < _REFUSED:
            self._ended()

    def _step(self, step: Step) -> str:
        if step.op == "create":
            return self._create(step)
        if self.stack is None:
            return "nothing there"
        if step.op.startswith("delete"):
            answer = self.stack.delete()
        elif step.op in _ACTIONS:
            answer = self.place.rest.call("POST", f"{self.stack.path}/actions", {step.op: None})
        else:
            answer = self.stack.update(step.template, parameters=self._parameters(step))
        return self._ended() if answer.status < _REFUSED else f"{answer.status} {answer.message}"

    def _create(self, step: Step) -> str:
        body = {"stack_name": self.name, "template": step.template, "timeout_mins": 1}
        body |= {"parameters": self._parameters(step)}
        answer = self.place.rest.call("POST", "/stacks", body)
        if answer.status >= _REFUSED:
            return f"{answer.status} {answer.message}"
        self.stack = Stack(self.place.rest, self.name, answer.json["stack"]["id"])
        return self._ended()

    def _ended(self) -> str:
        assert self.stack is not None
        until = time.monotonic() + _SECONDS
        while (found := str(self.stack.show()["stack_status"])).endswith("IN_PROGRESS"):
            assert time.monotonic() < until, self.stack.told()
            time.sleep(_LOOK)
        return found

    def _parameters(self, step: Step) -> Json:
        assert step.template is not None
        return {name: self._given[name] for name in step.template.get("parameters", {})}

    def _call(self, entry: Json, old: set[str]) -> Call:
        service, prefix = _SERVICES[entry["service"]]
        path = entry["path"].removeprefix(prefix).replace(f"/v3/{self.place.project}", "/v3")
        line = f"{entry['method']} {service} {self._said(path, old)}"
        return Call(line, self._body(entry.get("body"), old), entry["status"])

    def _body(self, value: Any, old: set[str]) -> Any:
        if isinstance(value, dict):
            return {
                self._said(key, old): self._field(key, each, old) for key, each in value.items()
            }
        if isinstance(value, list):
            return [self._body(each, old) for each in value]
        return self._said(value, old) if isinstance(value, str) else value

    def _field(self, name: str, value: Any, old: set[str]) -> Any:
        if name == "flavorRef":  # a number, as others are too
            return self.place.names().get(value, value)
        return self._body(value, old)

    def _said(self, text: str, old: set[str]) -> str:
        """Return text with ids told by their kinds, and physical names by their resources."""
        given = {id: name for id, name in self.place.names().items() if not id.isdigit()}
        parts = (given.get(part, part) for part in re.split(r"([/?=&])", text))
        text = given.get(text) or "".join(parts)
        text = _UUID.sub(lambda found: self._kind(found[0], old), text)
        physical = re.fullmatch(r".+-([^-]+)-[a-z2-7]{12}", text)
        return f"[name of {physical[1]}]" if physical else text

    def _kind(self, id: str, old: set[str]) -> str:
        kind = self.place.kinds.get(id, "id")
        kind = _KINDS.get(kind, kind)
        return f"[{kind}]" if id in old else f"[new {kind}]"


def _changes(entry: Json) -> bool:
    return entry["service"] in _SERVICES and entry["method"] in _CHANGING
