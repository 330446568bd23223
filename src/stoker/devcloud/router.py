"""The table of calls: which function answers which method and path.

Rule: literal segments win over ``{placeholders}``; a path that is known under other methods gives
405, any other path 404, but for services that have an answer to paths without a version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stoker.devcloud.clock import service_name
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.refusal import Refusal

Handler = Callable[[Request], Reply | dict[str, Any] | None]
H = TypeVar("H", bound=Handler)


@dataclass(frozen=True, slots=True)
class Route:
    """A call: its handler, its success status and whether it asks for a token."""

    handler: Handler
    service: str
    operation: str
    names: tuple[str, ...]
    status: int
    public: bool
    begin: Callable[[Request], None] | None = None


@dataclass(slots=True)
class _Node:
    literal: dict[str, _Node] = field(default_factory=dict)
    any: _Node | None = None
    routes: dict[str, Route] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    route: Route
    versions: tuple[str, ...]


_ROOT = _Node()
_ELSEWHERE: dict[str, _Elsewhere] = {}


def route(
    method: str,
    path: str,
    *,
    status: int = 200,
    public: bool = False,
    begin: Callable[[Request], None] | None = None,
) -> Callable[[H], H]:
    """Have the decorated function answer ``method`` on ``path`` (``/a/v1/things/{thing_id}``).

    ``status`` goes with a dict that it returns; ``public`` calls need no token. HEAD is answered
    by GET's function unless it has its own. Decorators may be stacked. ``begin`` runs, and is
    committed, before the body is read: for bodies that take their time.
    """
    segments = [segment for segment in path.split("/") if segment]
    names = tuple(segment[1:-1] for segment in segments if segment.startswith("{"))

    def add(handler: H) -> H:
        operation = getattr(handler, "__name__", "call")
        service = service_name(segments[0]) if segments else ""
        node = _node(segments)
        if method in node.routes:
            raise ValueError(f"{method} {path} has two handlers")
        node.routes[method] = Route(handler, service, operation, names, status, public, begin)
        return handler

    return add


def elsewhere(root: str, *versions: str) -> Callable[[H], H]:
    """Have the decorated function answer what is unknown under ``root``, but in its versions."""

    def add(handler: H) -> H:
        operation = getattr(handler, "__name__", "call")
        answer = Route(handler, service_name(root), operation, (), 200, public=True)
        _ELSEWHERE[root] = _Elsewhere(answer, versions)
        return handler

    return add


def _node(segments: list[str]) -> _Node:
    node = _ROOT
    for segment in segments:
        if segment.startswith("{"):
            node.any = node.any or _Node()
            node = node.any
        else:
            node = node.literal.setdefault(segment, _Node())
    return node


def find(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Give the call for a request and the values of its placeholders.

    Raises:
        Refusal: 404, or 405 when only the method is unknown.
    """
    segments = [segment for segment in path.split("/") if segment]
    found: list[tuple[_Node, tuple[str, ...]]] = []
    _walk(_ROOT, segments, 0, (), found)
    for node, values in found:
        route = node.routes.get(method) or (node.routes.get("GET") if method == "HEAD" else None)
        if route is not None:
            return route, dict(zip(route.names, values, strict=True))
    other = _ELSEWHERE.get(segments[0]) if segments else None
    if other is not None and segments[1:2] and segments[1] not in other.versions:
        return other.route, {}
    if found:
        raise Refusal(405, "The method is not allowed for the requested URL.")
    raise Refusal(404, "The resource could not be found.")


def _walk(
    node: _Node,
    segments: list[str],
    depth: int,
    values: tuple[str, ...],
    found: list[tuple[_Node, tuple[str, ...]]],
) -> None:
    if depth == len(segments):
        if node.routes:
            found.append((node, values))
        return
    literal = node.literal.get(segments[depth])
    if literal is not None:
        _walk(literal, segments, depth + 1, values, found)
    if node.any is not None:
        _walk(node.any, segments, depth + 1, (*values, segments[depth]), found)
