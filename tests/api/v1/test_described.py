"""The OpenAPI document says what the code does: each route is asked, and what it reads is noted.

What answers look like is checked once more with everything that was captured (``tests/replay``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from stoker.api.body import Fields
from stoker.api.openapi import handler_of
from stoker.api.query import Query
from stoker.api.schema import shape
from stoker.api.v1 import lookup
from stoker.api.v1.application import ROUTES
from stoker.api.v1.described import OPERATIONS
from stoker.usecases.stacks import Fate
from tests.api.fake import A_PLAN, A_STACK, EVENT, ID, PROJECT, TEMPLATE

if TYPE_CHECKING:
    from stoker.api.route import Handler, Route
    from tests.api.fake import Client, FakeStacks

NAMES = {
    "project": PROJECT,
    "name": "cap",
    "id": ID,
    "resource": "rs",
    "event": EVENT,
    "key": "v",
    "type": "OS::Heat::Value",
}
BODIES: dict[str, dict[str, Any]] = {
    "/stacks": {"stack_name": "new", "template": TEMPLATE},
    "/stacks/preview": {"stack_name": "new", "template": TEMPLATE},
    "/validate": {"template": TEMPLATE},
    "/resources/{resource}": {"mark_unhealthy": True},
    "/actions": {"check": None},
    "/software_deployments": {"server_id": "s", "config_id": "c"},
    "/{id}": {"template": TEMPLATE},
    "/preview": {"template": TEMPLATE},
}
REFUSED = {"converge", "files_container"}
"""Keys that are known only to be refused."""

EACH = pytest.mark.parametrize("route", ROUTES, ids=lambda each: f"{each.verb} {each.path}")


def body_of(route: Route) -> dict[str, Any] | None:
    """Return what must be said on a route."""
    if OPERATIONS[handler_of(route)].body is None:
        return None
    ends = sorted((end for end in BODIES if route.path.endswith(end)), key=len)
    return BODIES[ends[-1]] if ends else {}


def url_of(route: Route) -> str:
    return "/v1" + re.sub(r"{(\w+)}", lambda found: NAMES.get(found[1], "x"), route.path)


@pytest.fixture
def described(call: Client) -> Any:
    """The document as anybody can read it."""
    answer = call("GET", "/openapi.json", HTTP_X_IDENTITY_STATUS="")
    assert answer.status == 200
    return answer.json


def test_it_has_every_route_and_no_other(described: Any) -> None:
    found = {
        (verb.upper(), path)
        for path, verbs in described["paths"].items()
        for verb in verbs
        if verb != "parameters"
    }
    assert found == {(route.verb, route.path) for route in ROUTES}
    assert OPERATIONS.keys() == {handler_of(route) for route in ROUTES}


def test_its_schemas_are_schemas_and_all_that_it_names_is_there(described: Any) -> None:
    shapes = described["components"]["schemas"]
    for schema in shapes.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    named = set(re.findall(r"#/components/schemas/(\w+)", str(described)))
    assert named == shapes.keys()


@EACH
def test_every_operation_is_told_in_words_with_its_policy(described: Any, route: Route) -> None:
    operation = described["paths"][route.path][route.verb.lower()]
    assert operation["summary"].endswith(".")
    assert operation.get("x-policy") == (route.rule and route.rule.name)


@EACH
def test_an_answer_has_a_status_and_a_shape_of_the_document(
    admin: Client, stacks: FakeStacks, described: Any, route: Route
) -> None:
    stacks.changes = (replace(A_PLAN, fate=Fate.ADDED, why="it is new"),)
    if handler_of(route) is lookup.find:
        stacks.stack = replace(A_STACK, name=url_of(route).split("/")[4])
    answer = admin(route.verb, url_of(route), body_of(route))
    responses = described["paths"][route.path][route.verb.lower()]["responses"]
    assert str(answer.status) in responses
    content = responses[str(answer.status)].get("content")
    if content is None:
        assert answer.data == b""
    else:
        schema = content["application/json"]["schema"] | {"components": described["components"]}
        jsonschema.validate(answer.json, schema)


@EACH
def test_a_refusal_has_the_shape_of_one(admin: Client, described: Any, route: Route) -> None:
    answer = admin(route.verb, url_of(route), HTTP_X_IDENTITY_STATUS="Invalid")
    assert answer.status == 401
    schema = shape("Fault") | {"components": described["components"]}
    jsonschema.validate(answer.json, schema)


class Noting(dict[str, Any]):
    """A body that notes which of its keys are looked at."""

    def __init__(self, body: dict[str, Any], seen: set[str]) -> None:
        super().__init__(body)
        self._seen = seen

    def get(self, key: str, default: Any = None) -> Any:
        self._seen.add(key)
        return super().get(key, default)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """What requests are read for: names in the query, and keys in the body."""
    seen: dict[str, set[str]] = {"query": set(), "body": set()}
    all_of, begin = Query.all, Fields.__init__

    def note(query: Query, name: str) -> tuple[str, ...]:
        seen["query"].add(name)
        return all_of(query, name)

    def wrap(fields: Fields, body: dict[str, Any]) -> None:
        begin(fields, Noting(body, seen["body"]))

    monkeypatch.setattr(Query, "all", note)
    monkeypatch.setattr(Fields, "__init__", wrap)
    return seen


@EACH
def test_what_is_read_of_a_request_is_what_the_document_says(
    admin: Client, read: dict[str, set[str]], route: Route
) -> None:
    operation = OPERATIONS[handler_of(route)]
    admin(route.verb, url_of(route), body_of(route))
    assert read["query"] == operation.query.keys()
    known = (operation.body or {}).get("properties", {})
    assert read["body"] - REFUSED <= known.keys()
    if read["body"]:
        assert known.keys() <= read["body"]


def handlers_of_several() -> set[Handler]:
    """Return those that serve several routes: what is said of them must hold for each."""
    every = [handler_of(route) for route in ROUTES]
    return {each for each in every if every.count(each) > 1}


def test_only_the_redirection_serves_several_routes() -> None:
    assert handlers_of_several() == {lookup.find}
