"""Templates: of a stack, and before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.api.cfn.action import looking
from stoker.api.cfn.document import Embedded, text_of
from stoker.api.cfn.goal import needed_template, origin
from stoker.lang.template import read
from stoker.usecases.stacks import Goal

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import Json

_COST = "http://en.wikipedia.org/wiki/Gratis"
"""What Heat says of the price of a stack."""


def show(ask: Ask) -> Json:
    """Give the template of a stack."""
    body = ask.stacks.template(ask.caller, ask.stack())
    return {"TemplateBody": Embedded(body), "StagesAvailable": ["Original"]}


def validate(ask: Ask) -> Json:
    """Describe the parameters of a template; raises Invalid with all that is wrong with it."""
    found = ask.stacks.validate(ask.caller, Goal(needed_template(ask), file=origin(ask)))
    return {
        "Description": found["Description"],
        "Parameters": [_parameter(name, each) for name, each in found["Parameters"].items()],
        "Capabilities": [],
    }


def summarize(ask: Ask) -> Json:
    """Tell what a template takes and makes: one that is given, or a stack's."""
    if ask.params.text("StackName") is None:
        goal = Goal(needed_template(ask), file=origin(ask))
    else:
        stack = ask.stack()
        goal = Goal(
            ask.stacks.template(ask.caller, stack),
            environment=ask.stacks.environment(ask.caller, stack),
            files=ask.stacks.files(ask.caller, stack),
        )
    found = ask.stacks.validate(ask.caller, goal)
    template = read(goal.template or {})
    return {
        "Description": found["Description"],
        "Parameters": [_declared(name, each) for name, each in found["Parameters"].items()],
        "ResourceTypes": sorted({each.type for each in template.resources.values()}),
        "Version": template.version,
        "Capabilities": [],
    }


def estimate(ask: Ask) -> Json:
    """Give the address of a price list, as Heat does."""
    del ask
    return {"Url": _COST}


def _parameter(name: str, declared: Json) -> Json:
    default: Any = declared.get("Default")
    return {
        "ParameterKey": name,
        "DefaultValue": None if default is None else text_of(default),
        "NoEcho": str(declared.get("NoEcho", "false")).lower(),
        "Description": declared.get("Description", ""),
    }


def _declared(name: str, declared: Json) -> Json:
    allowed = [text_of(each) for each in declared.get("AllowedValues", ())]
    constraints = {"ParameterConstraints": {"AllowedValues": allowed}} if allowed else {}
    return {**_parameter(name, declared), "ParameterType": declared["Type"], **constraints}


ACTIONS = (
    looking("GetTemplate", show),
    looking("ValidateTemplate", validate),
    looking("GetTemplateSummary", summarize),
    looking("EstimateTemplateCost", estimate),
)
