"""Templates without a stack: validation, template versions and their functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.body import Fields
from stoker.api.policy import member, reader
from stoker.api.route import Route
from stoker.api.v1.goal import goal
from stoker.api.v1.path import PROJECT
from stoker.errors import Invalid, bad_request

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json

_IGNORABLE = ("99001",)
"""A service that is not there. Validation makes no call that would find out, so it is no error."""

_VERSIONS = f"{PROJECT}/template_versions"


def validate(ask: Ask) -> Json:
    """Validate a template and describe its parameters."""
    nested = ask.query.boolean("show_nested")
    for code in ask.query.commas("ignore_errors"):
        if code not in _IGNORABLE:
            raise bad_request(f"Invalid codes in ignore_errors: {code}")
    wanted = goal(Fields(ask.body()), ask.house.settings)
    return ask.stacks.validate(ask.caller, wanted, show_nested=nested)


def versions(ask: Ask) -> Json:
    """List the template versions that can be read."""
    return {"template_versions": ask.house.catalog.template_versions()}


def functions(ask: Ask) -> Json:
    """List the functions of a template version."""
    conditions = ask.query.boolean("with_condition_func")
    found = ask.house.catalog.functions(ask.path["version"], with_conditions=conditions)
    return {"template_functions": found}


ROUTES = (
    Route(
        "POST",
        f"{PROJECT}/validate",
        validate,
        member("stacks:validate_template"),
        {Invalid: "HTTPBadRequest"},
    ),
    Route("GET", _VERSIONS, versions, reader("stacks:list_template_versions")),
    Route(
        "GET",
        f"{_VERSIONS}/{{version}}/functions",
        functions,
        reader("stacks:list_template_functions"),
    ),
)
