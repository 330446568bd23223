"""The resource types that templates of the caller may use.

Types that the policy closes to the caller are left out of the list and refused when asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stoker.api.policy import member, reader
from stoker.api.route import Route
from stoker.api.v1.path import PROJECT
from stoker.errors import Forbidden, bad_request
from stoker.usecases.stacks import TypeQuery

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json

_TYPES = f"{PROJECT}/resource_types"
_TYPE = f"{_TYPES}/{{type}}"
SUPPORT = ("UNKNOWN", "SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")


def index(ask: Ask) -> Json:
    """List the types that the caller may use."""
    described = ask.query.boolean("with_description")
    types = [
        type
        for type in ask.house.catalog.types(ask.caller, _query(ask))
        if ask.house.policy.may_use(ask.caller, type.name)
    ]
    if described:
        views = [{"resource_type": type.name, "description": type.description} for type in types]
        return {"resource_types": views}
    return {"resource_types": [type.name for type in types]}


def show(ask: Ask) -> Json:
    """Show the properties and attributes of a type."""
    described = ask.query.boolean("with_description")
    schema = ask.house.catalog.type_schema(ask.caller, _usable(ask))
    return {key: value for key, value in schema.items() if described or key != "description"}


def template(ask: Ask) -> Json:
    """Give a template that exposes all of a type."""
    form = ask.query.choice("template_type", ("cfn", "hot")) or "cfn"
    return ask.house.catalog.type_template(ask.caller, _usable(ask), form)


def _usable(ask: Ask) -> str:
    name = ask.path["type"]
    if not ask.house.policy.may_use(ask.caller, name):
        raise Forbidden(f"You are not authorized to use resource_types:{name}.")
    return name


def _query(ask: Ask) -> TypeQuery:
    name = ask.query.last("name")
    if name is not None:
        try:
            re.compile(name)
        except re.error as error:
            raise bad_request(f"'name' is not a regular expression: {error}") from error
    return TypeQuery(
        support_status=ask.query.choice("support_status", SUPPORT),
        name=name,
        version=ask.query.last("version"),
    )


ROUTES = (
    Route("GET", _TYPES, index, reader("stacks:list_resource_types")),
    Route("GET", _TYPE, show, reader("stacks:resource_schema")),
    Route("GET", f"{_TYPE}/template", template, member("stacks:generate_template")),
)
