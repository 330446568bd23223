"""The check of a template on its own: what it takes, and everything that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.engine.secrets import masked
from stoker.engine.usecases import documents
from stoker.lang.stack import template_parameters
from stoker.lang.wording import OWN
from stoker.sdk.resource import StackInfo

if TYPE_CHECKING:
    from stoker.engine.goals import Documents, Preparation, Prepared
    from stoker.usecases.stacks import Json

NO_DESCRIPTION = "No description"


def described(
    preparation: Preparation, wanted: Documents, info: StackInfo
) -> tuple[Json, Prepared]:
    """Return the answer to a validation, and the goal for its look-ups; raises Invalid."""
    prepared = preparation.prepare(wanted, info, strict=False)
    environment = masked(documents.shown_environment(wanted, prepared.template), prepared.secrets)
    answer = {**_parameters(prepared), "Environment": environment}
    return answer, prepared


def nested(preparation: Preparation, prepared: Prepared, project_id: str) -> Json:
    """Return the descriptions of the child stacks by resource, with theirs."""
    info = StackInfo("None", "None", project_id)
    return _nested(preparation, prepared, info, 0)


def _nested(preparation: Preparation, prepared: Prepared, info: StackInfo, depth: int) -> Json:
    found: Json = {}
    for want, child in preparation.children(prepared, info, depth):
        entry = {"Type": want.definition.type, **_parameters(child)}
        below = _nested(preparation, child, info, depth + 1)
        found[want.definition.name] = entry | ({"NestedParameters": below} if below else {})
    return found


def _parameters(prepared: Prepared) -> Json:
    template, given = prepared.template, prepared.documents
    parameters = template_parameters(template, given.environment, given.parameters)
    described: Json = {
        "Description": template.description or NO_DESCRIPTION,
        "Parameters": {k: v for k, v in parameters.items() if OWN not in v.get("Tags", ())},
    }
    if template.parameter_groups:
        described["ParameterGroups"] = [
            {"label": g.label, "description": g.description, "parameters": list(g.parameters)}
            for g in template.parameter_groups
        ]
    return described
