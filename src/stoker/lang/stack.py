"""A template with the values of one stack: definitions whose only unknowns are resources.

Rule: all that is wrong is told at once; what a cloud must judge comes out as lookups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stoker.errors import Invalid, Problem
from stoker.graph.dag import Dag
from stoker.lang.collector import collector_off
from stoker.lang.conditions import decide
from stoker.lang.definitions import Definition, Definitions, Output
from stoker.lang.environment import Environment
from stoker.lang.evaluation import Evaluator
from stoker.lang.parameters import Lookup, ParameterSchema, bind
from stoker.lang.scope import StackScope
from stoker.lang.shown import parameter_document, parameter_texts
from stoker.lang.syntax import Template
from stoker.lang.versions import CFN

__all__ = [
    "Definition",
    "Inputs",
    "Instance",
    "Lookup",
    "Output",
    "instantiate",
    "shown_parameters",
    "template_parameters",
]

_GC_OFF_FROM: Final = 100
"""Resources."""
_REGION: Final = "ap-southeast-1"
"""What AWS::Region is in every cloud: templates compare it with names of Amazon's regions."""


@dataclass(frozen=True)
class Inputs:
    """What makes a stack of a template.

    ``parameters`` are the request's own; they count more than the environment's. With
    ``strict`` false parameters need no values (they are UNKNOWN then). ``previous`` holds
    the values before an update; ``facade`` what the parent of a nested stack says of it:
    ``metadata``, ``deletion_policy``, ``update_policy``. ``zones`` are the compute service's,
    None where nobody has asked for them.
    """

    stack_name: str
    stack_id: str
    project_id: str
    environment: Environment = field(default_factory=Environment)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    strict: bool = True
    previous: Mapping[str, Any] | None = None
    facade: Mapping[str, Any] | None = None
    zones: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Instance:
    """A stack as its template and inputs want it.

    ``parameters`` are typed and include ``OS::stack_name`` and its like; ``graph`` has an
    edge from each resource to those that it requires; ``disabled`` are the resources whose
    condition is false.
    """

    parameters: Mapping[str, Any]
    hidden: frozenset[str]
    definitions: Mapping[str, Definition]
    outputs: Mapping[str, Output]
    graph: Dag[str]
    lookups: tuple[Lookup, ...]
    disabled: frozenset[str]


def instantiate(template: Template, inputs: Inputs) -> Instance:
    """Return the stack that ``template`` and ``inputs`` describe.

    Parameters, files, conditions and ``if`` are folded in; what stays in an expression
    depends on get_resource and get_attr alone. Raises Invalid with every problem.
    """
    instance, problems = assess(template, inputs)
    if problems:
        raise Invalid(problems)
    return instance


def assess(template: Template, inputs: Inputs) -> tuple[Instance, list[Problem]]:
    """Return the stack and all that is wrong with it; what is wrong is UNKNOWN in it."""
    with collector_off(when=len(template.resources) >= _GC_OFF_FROM):
        return _assessed(template, inputs)


def _assessed(template: Template, inputs: Inputs) -> tuple[Instance, list[Problem]]:
    bound = bind(
        template.parameters,
        {**inputs.environment.parameters, **inputs.parameters},
        inputs.environment.parameter_defaults,
        strict=inputs.strict,
        previous=inputs.previous,
    )
    pseudo = _pseudo(template, inputs)
    parameters = {**pseudo, **bound.values, **pseudo}
    origin = template.places.file
    scope = StackScope(parameters, inputs.files, inputs.facade, inputs.zones, origin)
    evaluator = Evaluator(scope, fold=True, hidden=template.hidden)
    whatever = Evaluator(scope.without_values(), fold=True, hidden=template.hidden)
    decided = decide(template.conditions, evaluator, scope, whatever)
    reader = Definitions(template, evaluator, scope)
    definitions, outputs = reader.definitions(), reader.outputs()
    graph = Dag({name: each.requires for name, each in definitions.items()})
    reader.check_circles(graph)
    evaluator.problems += decided.problems(scope.used)
    instance = Instance(
        parameters=parameters,
        hidden=template.hidden,
        definitions=definitions,
        outputs=outputs,
        graph=graph,
        lookups=bound.lookups,
        disabled=frozenset(scope.disabled),
    )
    return instance, [*bound.problems, *evaluator.problems]


def _pseudo(template: Template, inputs: Inputs) -> dict[str, Any]:
    if template.version in CFN:
        return {
            "AWS::StackName": inputs.stack_name,
            "AWS::StackId": _arn(inputs),
            "AWS::Region": _REGION,
        }
    return {
        "OS::stack_id": inputs.stack_id,
        "OS::project_id": inputs.project_id,
        "OS::stack_name": inputs.stack_name,
    }


def _arn(inputs: Inputs) -> str:
    return f"arn:openstack:heat::{inputs.project_id}:stacks/{inputs.stack_name}/{inputs.stack_id}"


def shown_parameters(template: Template, instance: Instance) -> dict[str, str]:
    """Return the parameters as stack show prints them: as text, hidden ones masked."""
    del template  # an instance knows all that is needed
    return parameter_texts(instance.parameters, instance.hidden)


def template_parameters(
    template: Template,
    environment: Environment | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the ``Parameters`` of the answer to a validation, by name."""
    used = environment or Environment()
    given = {**used.parameters, **(parameters or {})}
    return {
        name: parameter_document(schema, _default(schema, used.parameter_defaults), given.get(name))
        for name, schema in template.parameters.items()
    }


def _default(schema: ParameterSchema, defaults: Mapping[str, Any]) -> Any:
    default = defaults.get(schema.name)
    return schema.default if default is None else default
