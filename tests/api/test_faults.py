from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import (
    CloudError,
    CloudNotFound,
    Code,
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    LimitExceeded,
    NotFound,
    Place,
    Problem,
    Severity,
    StokerError,
    Unavailable,
    Unsupported,
    UserError,
)
from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

PROPERTY = Kind.PROPERTY
STACK = f"/v1/{PROJECT}/stacks/cap/{ID}"

TYPES = {
    Kind.TEMPLATE: "HTTPBadRequest",
    Kind.VERSION: "InvalidTemplateVersion",
    Kind.SECTION: "StackValidationFailed",
    Kind.REFERENCE: "InvalidTemplateReference",
    Kind.ATTRIBUTE: "StackValidationFailed",
    Kind.SCHEMA: "InvalidSchemaError",
    Kind.PARAMETER: "StackValidationFailed",
    Kind.PARAMETER_UNKNOWN: "UnknownUserParameter",
    Kind.PARAMETER_MISSING: "UserParameterMissing",
    Kind.IMMUTABLE: "ImmutableParameterModified",
    Kind.CIRCULAR: "CircularDependencyException",
    Kind.ENVIRONMENT: "HTTPBadRequest",
    Kind.TYPE: "StackValidationFailed",
    Kind.PROPERTY: "StackValidationFailed",
    Kind.REQUEST: "HTTPBadRequest",
    Kind.VALIDATION: "StackValidationFailed",
}


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_of_problem_has_heats_fault_type(
    call: Client, stacks: FakeStacks, kind: Kind
) -> None:
    stacks.error = Invalid([Problem("no good", kind=kind)])
    answer = call("GET", STACK)
    assert (answer.status, answer.error["type"]) == (400, TYPES[kind])


def test_a_type_of_a_service_that_has_none_here_has_a_fault_type_of_its_own(
    call: Client, stacks: FakeStacks
) -> None:
    stacks.error = Invalid([Problem("none", kind=Kind.TYPE, code=Code.UNAVAILABLE_TYPE)])
    assert call("GET", STACK).error["type"] == "ResourceTypeUnavailable"


def test_what_another_heat_says_is_told_as_it_is(call: Client, stacks: FakeStacks) -> None:
    at = ("resources", "a", "properties", "template")
    stacks.error = Invalid([Problem("there", at, code=Code.STACK_ELSEWHERE)])
    assert call("GET", STACK).error["message"] == "there"


def test_all_problems_are_told_each_with_its_place(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Invalid(
        [
            Problem("not a map", ("resources", "a"), Place("main.yaml", 3, 5)),
            Problem("unknown", ("outputs", "o", 0)),
        ]
    )
    assert call("GET", STACK).error["message"].splitlines() == [
        "resources.a: not a map (main.yaml:3:5)",
        "outputs.o[0]: unknown",
    ]


def test_the_problems_stand_beside_the_message_for_programs(
    call: Client, stacks: FakeStacks
) -> None:
    at = ("resources", "web", "networks", 0, "port")
    place = Place("main.yaml", 3, 5)
    stacks.error = Invalid([Problem("no", at, place, Kind.REFERENCE, hint="did you mean x?")])
    body = call("GET", STACK).json
    assert body["problems"] == [
        {
            "code": "unknown-resource",
            "severity": "error",
            "text": "no",
            "hint": "did you mean x?",
            "path": "resources.web.networks.0.port",
            "file": "main.yaml",
            "line": 3,
            "column": 5,
        }
    ]


def test_warnings_stand_among_the_problems_alone(call: Client, stacks: FakeStacks) -> None:
    warning = Problem("hm", ("resources", "b"), severity=Severity.WARNING)
    stacks.error = Invalid([Problem("no", ("resources", "a"))], [warning])
    answer = call("GET", STACK)
    assert answer.error["message"] == "resources.a: no"
    assert [each["severity"] for each in answer.json["problems"]] == ["error", "warning"]


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (
            Problem("bad", ("resources", "a", "properties", "size"), Place("t", 3, 5), PROPERTY),
            "Property error: : resources.a.properties.size: : bad (t:3:5)",
        ),
        (
            Problem("p is missing", ("resources", "a", "properties", "x", "get_param"), None,
                    Kind.PARAMETER_MISSING),
            "Property error: : resources.a.properties.x: : p is missing",
        ),
        (
            Problem("bad", ("resources", "a", "resources", "b", "properties", "x"), None, PROPERTY),
            "resources.a.resources.b.properties.x: bad",
        ),
        (
            Problem("bad", ("resources", "a", "resources", "b", "properties", "x", 0, "y"),
                    Place("b.yaml", 3, 5), PROPERTY, files=("b.yaml",)),
            "resources.a<b.yaml>.resources.b: : bad (properties.x[0].y, b.yaml:3:5)",
        ),
        (
            Problem("bad", ("resources", "g", "resources", "0", "resources", "b", "properties"),
                    None, PROPERTY, files=("nested_stack", "b.yaml")),
            "resources.g<nested_stack>.resources.0<b.yaml>.resources.b: : bad (properties)",
        ),
        (
            Problem("bad", ("resources", "a", "outputs", "x"), None, Kind.ATTRIBUTE,
                    files=("b.yaml",)),
            "resources.a.outputs.x: bad",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_property_is_told_as_clients_look_for_it(
    call: Client, stacks: FakeStacks, problem: Problem, line: str
) -> None:
    stacks.error = Invalid([problem])
    error = call("GET", STACK).error
    assert (error["type"], error["message"]) == ("StackValidationFailed", line)


@pytest.mark.parametrize(
    ("error", "status", "type", "message"),
    [
        (NotFound("Stack", "x"), 404, "EntityNotFound", "The Stack (x) could not be found."),
        (
            NotFound("Resource", "r"),
            404,
            "ResourceNotFound",
            "The Resource (r) could not be found in Stack cap.",
        ),
        (Conflict("busy"), 409, "ActionInProgress", "busy"),
        (Forbidden("no"), 403, "Forbidden", "no"),
        (
            LimitExceeded("Too many."),
            400,
            "RequestLimitExceeded",
            "Request limit exceeded: Too many.",
        ),
        (Unsupported("no such thing"), 400, "NotSupported", "no such thing"),
        (UserError("hm"), 400, "Invalid", "hm"),
        (CloudError("away", service="nova"), 503, "ServiceUnavailable", "away"),
        (Unavailable("no database"), 503, "ServiceUnavailable", "no database"),
        (CloudError("down", service="nova", status=502), 503, "ServiceUnavailable", "down"),
        (CloudError("slow", service="nova", status=429), 503, "ServiceUnavailable", "slow"),
        (CloudError("bad", service="nova", status=400), 400, "Invalid", "bad"),
        (CloudNotFound("gone", service="nova", status=404), 400, "Invalid", "gone"),
    ],
)
def test_each_error_has_its_status_and_type(
    call: Client, stacks: FakeStacks, error: StokerError, status: int, type: str, message: str
) -> None:
    stacks.error = error
    answer = call("GET", STACK)
    assert (answer.status, answer.json["code"]) == (status, status)
    assert answer.error == {"type": type, "traceback": None, "message": message}


def test_a_refusal_has_heats_keys_and_words(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Conflict("busy")
    answer = call("GET", STACK)
    assert list(answer.json) == ["code", "title", "explanation", "error", "remedy"]
    assert answer.json["title"] == "Conflict"
    assert (
        answer.json["explanation"] == "There was a conflict when trying to complete your request."
    )
    assert answer.headers["content-type"] == "application/json"


def test_a_service_that_says_when_to_come_back_is_passed_on(
    call: Client, stacks: FakeStacks
) -> None:
    stacks.error = CloudError("later", service="nova", status=503, retry_after=7.4)
    assert call("GET", STACK).headers["retry-after"] == "7"


def test_a_wrong_method_is_a_405_that_names_the_right_ones(call: Client) -> None:
    answer = call("PATCH", f"/v1/{PROJECT}/stacks")
    assert (answer.status, answer.error["type"]) == (405, "HTTPMethodNotAllowed")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST", "OPTIONS"}


def test_a_method_that_http_does_not_know_is_refused(call: Client) -> None:
    assert call("BREW", STACK).status in (400, 405)


def test_options_tells_the_methods(call: Client) -> None:
    answer = call("OPTIONS", STACK)
    assert (answer.status, answer.data) == (204, b"")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "PUT", "PATCH", "DELETE", "OPTIONS"}
