from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import Invalid, Kind, Problem
from stoker.usecases.stacks import Goal
from tests.api.fake import PROJECT, TEMPLATE

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeCatalog, FakeStacks

P = f"/v1/{PROJECT}"


@pytest.mark.parametrize(("query", "nested"), [("", False), ("?show_nested=true", True)])
def test_validate_gives_the_use_cases_answer(
    call: Client,
    stacks: FakeStacks,
    query: str,
    nested: bool,  # noqa: FBT001
) -> None:
    answer = call("POST", f"{P}/validate{query}", {"template": TEMPLATE, "parameters": {"a": 1}})
    assert answer.status == 200
    assert answer.json == {"Description": "capture", "Parameters": {}, "Environment": {}}
    assert stacks.asked[-1][2:] == (Goal(template=TEMPLATE, parameters={"a": 1}), nested)


def test_what_validation_finds_is_a_bad_request(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Invalid([Problem("The Resource Type (X) could not be found.", kind=Kind.TYPE)])
    answer = call("POST", f"{P}/validate", {"template": TEMPLATE})
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")


@pytest.mark.parametrize(
    ("codes", "status"), [("99001", 200), ("", 200), ("99001,1", 400), ("x", 400)]
)
def test_only_known_errors_can_be_ignored(call: Client, codes: str, status: int) -> None:
    url = f"{P}/validate?ignore_errors={codes}"
    assert call("POST", url, {"template": TEMPLATE}).status == status


def test_template_versions_are_listed(call: Client) -> None:
    version = {"version": "heat_template_version.2021-04-16", "type": "hot", "aliases": []}
    assert call("GET", f"{P}/template_versions").json == {"template_versions": [version]}


@pytest.mark.parametrize(
    ("query", "conditions"), [("", False), ("?with_condition_func=True", True)]
)
def test_functions_of_a_version_are_listed(
    call: Client,
    catalog: FakeCatalog,
    query: str,
    conditions: bool,  # noqa: FBT001
) -> None:
    answer = call("GET", f"{P}/template_versions/v/functions{query}")
    function = {"functions": "get_attr", "description": "Resolves an attribute."}
    assert answer.json == {"template_functions": [function]}
    assert catalog.asked[-1] == ("functions", "v", conditions)
