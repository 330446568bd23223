"""A very small Heat for the commands' tests: stacks that end with the next look.

It answers calls as the API does; what happens to a stack is what the test has said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from stoker.errors import CloudError
from tests.cli.rows import event, row

if TYPE_CHECKING:
    from stoker.cli.session import Json

ID = "root-id"


@dataclass
class Heat:
    """``ends`` are the statuses that a stack goes through, one a look, after an operation."""

    ends: list[str] = field(default_factory=list)
    refuses: dict[str, CloudError] = field(default_factory=dict)
    stacks: dict[str, Json] = field(default_factory=dict)
    resources: list[Json] = field(default_factory=lambda: [row("a", "CREATE_COMPLETE")])
    events: list[Json] = field(default_factory=list)
    outputs: list[Json] = field(default_factory=list)
    calls: list[tuple[str, str, Json | None]] = field(default_factory=list)

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        self.calls.append((method, path, body))
        for pattern, error in self.refuses.items():
            if re.fullmatch(pattern, f"{method} {path}"):
                raise error
        parts = [unquote(part) for part in urlsplit(path).path.strip("/").split("/")]
        query = parse_qs(urlsplit(path).query)
        return self._answer(method, parts[1:], query, body)

    def add(self, name: str, status: str = "CREATE_COMPLETE") -> None:
        """Have a stack from the start."""
        self.stacks[name] = {
            "stack_name": name,
            "id": ID,
            "stack_status": status,
            "stack_status_reason": "because",
            "creation_time": "2030-01-01T00:00:00Z",
            "updated_time": None,
            "disable_rollback": True,
        }

    def bodies(self, method: str) -> list[Json]:
        """Return the bodies of the calls of a method."""
        return [body for verb, _, body in self.calls if verb == method and body is not None]

    def _answer(self, method: str, parts: list[str], query: Any, body: Json | None) -> Json:
        match method, parts:
            case "GET", []:
                return {"stacks": list(self.stacks.values())}
            case "POST", []:
                assert body is not None
                self.add(body["stack_name"], "CREATE_IN_PROGRESS")
                return {"stack": {"id": ID}}
            case "POST", ["preview"]:
                return {"stack": {"resources": [row("a", "INIT_COMPLETE"), [row("0", "X")]]}}
            case _, [name, *_] if name not in self.stacks:
                raise CloudError("no such stack", service="orchestration", status=404)
            case "GET", _:
                return self._read(parts, query)
            case "PUT" | "PATCH", [name, _]:
                self.stacks[name]["stack_status"] = "UPDATE_IN_PROGRESS"
                return {}
            case "PUT" | "PATCH", [_, _, "preview"]:
                return {"resource_changes": {"updated": [row("a", "X")], "deleted": []}}
            case "DELETE", [name, _]:
                self.stacks[name]["stack_status"] = "DELETE_IN_PROGRESS"
                return {}
        raise AssertionError((method, parts))

    def _read(self, parts: list[str], query: Any) -> Json:
        match parts:
            case [name] | [name, _]:
                return {"stack": self._shown(name)}
            case [_, _, "resources"]:
                return {"resources": self.resources}
            case [_, _, "events"]:
                return {"events": self._events(query)}
        raise AssertionError(parts)

    def _shown(self, name: str) -> Json:
        stack = self.stacks[name]
        if stack["stack_status"].endswith("_IN_PROGRESS") and self.ends:
            stack["stack_status"] = self.ends.pop(0)
        return {**stack, "outputs": self.outputs}

    def _events(self, query: Any) -> list[Json]:
        if query.get("sort_dir") == ["desc"]:
            return self.events[::-1][: int(query["limit"][0])]
        marker = query.get("marker", [""])[0]
        ids = [each["id"] for each in self.events]
        return self.events[ids.index(marker) + 1 :] if marker else self.events

    def fails(self, name: str = "a", reason: str = "no room") -> None:
        """Have a resource that has failed, with its event."""
        self.resources = [row(name, "CREATE_FAILED", resource_status_reason=reason)]
        self.events.append(event(name, "CREATE_FAILED", reason=reason))
