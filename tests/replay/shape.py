"""The shape of an answer: each place in its JSON with the kinds of values that stand there.

Rule: values do not count but for those that clients decide by; the items of a list are one place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.replay.exchange import Answer

TELLING = ("code", "title", "type", "stack_status", "rel")
"""The keys whose values clients decide by."""

_KINDS = {bool: "boolean", int: "number", float: "number", str: "text", type(None): "null"}
_SERVERS = frozenset({"connection", "content-length", "date", "server"})
"""Headers that the HTTP server sets, not the API."""


def shape(answer: Answer) -> set[str]:
    """Return a line for each thing that an answer is known by."""
    headers = {
        f"header {name}" + (f" = {value}" if name == "content-type" else "")
        for name, value in answer.headers.items()
        if name not in _SERVERS
    }
    return {f"status {answer.status}"} | headers | set(places(answer.json))


def places(value: Any, path: str = "", key: str = "") -> Iterator[str]:
    """Give each place of a JSON value with its kind."""
    if isinstance(value, dict):
        yield f"{path}: map"
        for name, each in value.items():
            yield from places(each, f"{path}.{name}", name)
    elif isinstance(value, list):
        yield f"{path}: list"
        for each in value:
            yield from places(each, f"{path}[]", key)
    elif key in TELLING:
        yield f"{path} = {value}"
    else:
        yield f"{path}: {_KINDS[type(value)]}"
