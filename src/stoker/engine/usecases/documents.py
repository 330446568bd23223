"""From the body of a request to the documents of a goal: environments read and merged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import Documents
from stoker.errors import Invalid, Kind, Problem, bad_request
from stoker.lang import environment as environments
from stoker.lang import template as templates
from stoker.lang.environment import Environment, is_template, merge, read_environment
from stoker.lang.stack import Inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.sdk.resource import StackInfo
    from stoker.usecases.stacks import CreateStack, Goal, Json, UpdateStack


def requested(goal: Goal) -> Documents:
    """Return what the request asks for; raises Invalid."""
    if goal.template is None:
        raise bad_request("No template specified", ("template",))
    environment = _environment(goal)
    parameters = dict(goal.parameters)
    if goal.environment_files:  # measured: what the files say counts more
        parameters |= environment.parameters
    return Documents(goal.template, environment, parameters, dict(goal.files), goal.file)


def warnings(goal: Goal) -> Iterator[Problem]:
    """Give what Heat takes of the request's environments, and nothing here acts upon."""
    if not goal.environment_files:
        yield from environments.warnings(goal.environment)
    for each in goal.environment_files:
        yield from environments.warnings(goal.files[each], each)


def created(what: CreateStack) -> Documents:
    """Return what the request for a new stack asks for; raises Invalid.

    What is adopted brings documents of its own, under those of the request.
    """
    wanted = requested(what.goal)
    if what.adopted is None:
        return wanted
    before = read_environment(what.adopted.get("environment") or {})
    return replace(
        wanted,
        environment=before.overlaid(wanted.environment),
        files={**(what.adopted.get("files") or {}), **wanted.files},
    )


def updated(old: Documents, what: UpdateStack) -> Documents:
    """Return what the update asks for; with ``existing`` what is not given stays."""
    if not what.existing:
        return requested(what.goal)
    goal, cleared = what.goal, frozenset(what.clear_parameters)
    new = _environment(goal)
    kept = old.environment.without_parameters(cleared)
    parameters = {k: v for k, v in old.parameters.items() if k not in cleared}
    template, file = old.template, old.file
    if goal.template is not None:
        template, file = goal.template, goal.file
    known = templates.read(template).parameters
    given = {**goal.parameters, **(new.parameters if goal.environment_files else {})}
    restored = old.restored if goal.template is None else {}
    stale = frozenset((kept.parameters.keys() | parameters.keys()) - known.keys())
    return Documents(
        template,
        kept.without_parameters(stale).overlaid(new),
        {k: v for k, v in parameters.items() if k not in stale} | given,
        {**old.files, **goal.files},
        file,
        restored=restored,
    )


def inputs(documents: Documents, info: StackInfo) -> Inputs:
    """Return the inputs of a stack whose parameters may lack values."""
    return Inputs(
        stack_name=info.name,
        stack_id=info.id,
        project_id=info.project_id,
        environment=documents.environment,
        parameters=documents.parameters,
        files=documents.files,
        strict=False,
    )


def shown_environment(documents: Documents, template: templates.Template) -> Json:
    """Return the environment as a validation of this template answers it."""
    shown = with_template_files(documents.environment.as_dict(), template)
    shown["parameters"] = {**shown["parameters"], **documents.parameters}
    shown.pop("encrypted_param_names")
    return shown


def with_template_files(environment: Json, template: templates.Template) -> Json:
    """Return an environment with the files that the template names as types, as Heat adds them."""
    files = {each.type: each.type for each in template.resources.values() if is_template(each.type)}
    return {**environment, "resource_registry": {**files, **environment["resource_registry"]}}


def _environment(goal: Goal) -> Environment:
    if not goal.environment_files:
        return read_environment(goal.environment)
    missing = [
        Problem(f"{f} is not among the files", ("environment_files",), kind=Kind.REQUEST)
        for f in goal.environment_files
        if f not in goal.files
    ]
    if missing:
        raise Invalid(missing)
    each = [read_environment(goal.files[f], f) for f in goal.environment_files]
    return merge(each, _parameter_types(goal) if len(each) > 1 else None)


def _parameter_types(goal: Goal) -> dict[str, str]:
    """Return the declared type of each parameter of the template and of those attached."""
    attached: list[Any] = [text for key, text in goal.files.items() if is_template(key)]
    types: dict[str, str] = {}
    for source in (*attached, goal.template or {}):
        try:
            template = templates.read(source)
        except Invalid:  # told where the template is used, if it is
            continue
        types |= {name: each.type for name, each in template.parameters.items()}
    return types
