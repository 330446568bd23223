"""The OpenAPI document of an application, made from its routes.

Rule: nothing is said here that the code does not say: paths, verbs and policies are the routes',
what an operation does is its handler's docstring, and what it takes and gives is beside the nouns.
"""

from __future__ import annotations

import re
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from stoker.api.event_stream import MEDIA_TYPE
from stoker.api.schema import TEXT, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.api.route import Handler, Route
    from stoker.api.schema import Operation, Schema

PATH: Final = "/openapi.json"
FAULT: Final = "Fault"
_INFO: Final = {
    "title": "Stoker",
    "version": "1.0",
    "description": "The orchestration API of OpenStack, version 1.",
}
_TOKEN: Final = {"type": "apiKey", "in": "header", "name": "X-Auth-Token"}


def document(
    routes: Iterable[Route],
    operations: Mapping[Handler, Operation],
    shapes: Mapping[str, Schema],
) -> dict[str, Any]:
    """Return the document; its paths are below ``v1``, beside the document itself."""
    paths: dict[str, Any] = {}
    for route in routes:
        described = _described(route, operations[handler_of(route)])
        paths.setdefault(route.path, {})[route.verb.lower()] = described
    for path, verbs in paths.items():
        verbs["parameters"] = [_in_path(name) for name in re.findall(r"{(\w+)}", path)]
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "servers": [{"url": "./v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": dict(shapes), "securitySchemes": {"token": _TOKEN}},
    }


def handler_of(route: Route) -> Handler:
    """Return the function that serves a route."""
    return route.serve.func if isinstance(route.serve, partial) else route.serve


def _described(route: Route, operation: Operation) -> dict[str, Any]:
    handler = handler_of(route)
    summary, _, more = (handler.__doc__ or "").strip().partition("\n")
    described: dict[str, Any] = {
        "tags": [handler.__module__.rpartition(".")[2]],
        "summary": summary,
        "parameters": [_in_query(operation, name) for name in operation.query],
        "responses": _responses(operation),
    }
    if more.strip():
        described["description"] = " ".join(more.split())
    if operation.body is not None:
        described["requestBody"] = {"content": _json(operation.body)}
    if route.rule is not None:
        described["x-policy"] = route.rule.name
    return described


def _responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, schema in operation.answers.items():
        response: dict[str, Any] = {"description": HTTPStatus(status).phrase}
        if schema is not None:
            response["content"] = _json(schema)
        responses[str(status)] = response
    if operation.streams:
        responses["200"]["content"] |= {MEDIA_TYPE: {"schema": TEXT}}
    refused = {"description": "It was refused, or failed", "content": _json(shape(FAULT))}
    return {**responses, "default": refused}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": TEXT}


def _in_query(operation: Operation, name: str) -> dict[str, Any]:
    schema = operation.query[name]
    if name in operation.repeated:
        schema = {"type": "array", "items": schema}
    return {"name": name, "in": "query", "schema": schema}
