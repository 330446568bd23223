"""The resources and outputs of one stack, folded as far as they can be.

Rule: a resource whose condition is false does not exist; depending on it is no mistake,
referring to it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from stoker.errors import Code, Kind, Path, Place, Problem
from stoker.graph.dag import CycleError, Dag
from stoker.lang.evaluation import Evaluator, has_call, references
from stoker.lang.places import Places
from stoker.lang.reading import Reading
from stoker.lang.scope import UNDECLARED, StackScope
from stoker.lang.suggestion import meant
from stoker.lang.syntax import Call, Expr, OutputSyntax, ResourceSyntax, Template
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import has_lower_case_policies
from stoker.lang.wording import shown

POLICIES: Final = ("Delete", "Retain", "Snapshot")
_ITS_OWN: Final = frozenset({Kind.VALIDATION, Kind.PARAMETER_MISSING, Kind.REFERENCE})
"""What may be wrong with one output alone."""


@dataclass(slots=True)
class Definition:
    """A resource as wanted. Nobody changes one; it is not frozen for the reason of a Call.

    ``requires`` holds the resources that come first, named or implied; ``at`` is its path
    and ``whole`` has the places of its template.
    """

    name: str
    type: str
    properties: Expr
    metadata: Expr
    depends_on: tuple[str, ...]
    update_policy: Expr
    deletion_policy: str
    external_id: str | None
    description: str
    requires: frozenset[str]
    at: Path
    whole: Places

    @property
    def place(self) -> Place | None:
        """Where it stands in the template."""
        return self.whole.get(self.at)

    @property
    def places(self) -> Places:
        """The places of its properties."""
        return self.whole.under((*self.at, "properties"))


@dataclass(frozen=True, slots=True)
class Output:
    """An output as wanted; one whose condition is false has the value None.

    ``problems`` say why there is no value with these parameters; they fail the output, not
    the stack.
    """

    name: str
    value: Expr
    description: str
    problems: tuple[Problem, ...] = ()


class Definitions:
    """Folds the resources and outputs of a template; problems go to ``reading``."""

    def __init__(self, template: Template, evaluator: Evaluator, scope: StackScope) -> None:
        self._template, self._evaluator, self._scope = template, evaluator, scope
        self._hidden = template.hidden
        self.reading = Reading(template.version, template.places, evaluator.problems)

    def definitions(self) -> dict[str, Definition]:
        """Return the resources that exist; the scope learns which do and which do not."""
        resources = self._template.resources
        on = {name: self._holds(each.condition, "resources", name)
              for name, each in resources.items()}  # fmt: skip
        self._scope.enabled = frozenset(name for name, holds in on.items() if holds)
        self._scope.disabled = frozenset(resources) - self._scope.enabled
        return {name: self._definition(each) for name, each in resources.items() if on[name]}

    def outputs(self) -> dict[str, Output]:
        """Return all outputs; what is wrong with these parameters alone is not noted.

        Nor is a parameter that the template does not declare: it leaves its output without a value.
        What decides what is asked for (conditions, names of resources and attributes) is noted.
        """
        return {name: self._output(each) for name, each in self._template.outputs.items()}

    def check_circles(self, graph: Dag[str]) -> None:
        """Note a circle of resources that need each other."""
        try:
            for _ in graph.waves():
                pass
        except CycleError as error:
            circle = _rotated([str(each) for each in error.path[:-1]], list(graph.needs))
            text = f"Circular dependency: {' -> '.join((*circle, circle[0]))}"
            self.reading.fault(text, ("resources", circle[0]), Kind.CIRCULAR)

    def _holds(self, condition: Expr, section: str, name: str) -> bool:
        """Tell whether it is there; what is open for now counts as there."""
        if condition is True:  # it has none
            return True
        holds = self._evaluator.holds(condition, (section, name, "condition"))
        return True if holds is UNKNOWN else bool(holds)

    def _output(self, syntax: OutputSyntax) -> Output:
        if not self._holds(syntax.condition, "outputs", syntax.name):
            return Output(syntax.name, None, syntax.description)
        at: Path = ("outputs", syntax.name, "value")
        evaluator = Evaluator(self._scope, fold=True, hidden=self._hidden)
        value = evaluator.value(syntax.value, at)
        if not evaluator.problems:
            return Output(syntax.name, value, syntax.description)
        sure = {_which(each) for each in self._sure_problems(syntax.value, at)}
        sure |= {_which(each) for each in evaluator.decisive}
        found = {each: each.kind not in _ITS_OWN or _which(each) in sure
                 for each in evaluator.problems}  # fmt: skip
        self._evaluator.problems += [each for each, certain in found.items() if certain]
        open_ = tuple(_told_alone(each) for each, certain in found.items() if not certain)
        return Output(syntax.name, None, syntax.description, open_)

    def _sure_problems(self, expr: Expr, at: Path) -> list[Problem]:
        """Return what is wrong with ``expr`` even when no parameter is known."""
        evaluator = Evaluator(self._scope.without_values(), fold=True, hidden=self._hidden)
        evaluator.value(expr, at)
        return [each for each in evaluator.problems if each.kind is not Kind.PARAMETER_MISSING]

    def _definition(self, syntax: ResourceSyntax) -> Definition:
        at: Path = ("resources", syntax.name)
        properties = self._a_map(syntax.properties, (*at, "properties"))
        metadata = self._a_map(syntax.metadata, (*at, "metadata"))
        update_policy = self._a_map(syntax.update_policy, (*at, "update_policy"))
        external_id = self._external_id(syntax, at)
        policy = self._deletion_policy(syntax.deletion_policy, (*at, "deletion_policy"))
        wanted = references([properties, metadata, update_policy])
        implied = frozenset(each.resource for each in wanted) & self._scope.enabled
        return Definition(
            name=syntax.name,
            type=syntax.type,
            properties=properties,
            metadata=metadata,
            depends_on=syntax.depends_on,
            update_policy=update_policy,
            deletion_policy=policy if external_id is None else "Retain",
            external_id=external_id,
            description=syntax.description,
            requires=implied | self._named(syntax, at) if external_id is None else frozenset(),
            at=at,
            whole=self._template.places,
        )

    def _a_map(self, expr: Expr, at: Path) -> Expr:
        if expr == {}:
            return {}
        value = self._evaluator.value(expr, at)
        if value is None:
            return {}
        if isinstance(value, dict | Call) or value is UNKNOWN:
            return value
        text = f"this must give a map, not {shown(value)}"
        self.reading.fault(text, at, code=Code.WRONG_SHAPE)
        return UNKNOWN

    def _named(self, syntax: ResourceSyntax, at: Path) -> frozenset[str]:
        """Return the resources of ``depends_on`` that exist; note names that mean nothing."""
        for name in syntax.depends_on:
            if name not in self._template.resources:
                text = f'The specified reference "{name}" is incorrect: no such resource'
                hint = meant(name, self._template.resources, len(self.reading.problems))
                self.reading.fault(text, (*at, "depends_on"), Kind.REFERENCE, hint=hint)
        return frozenset(syntax.depends_on) & self._scope.enabled

    def _external_id(self, syntax: ResourceSyntax, at: Path) -> str | None:
        if syntax.external_id is None:
            return None
        value = self._evaluator.value(syntax.external_id, (*at, "external_id"))
        if value is None or value is UNKNOWN:
            return None
        if not isinstance(value, str):
            text = "external_id must be a text that is known before any resource is made"
            self.reading.fault(text, (*at, "external_id"), code=Code.EXTERNAL_ID)
            return None
        if syntax.depends_on:
            text = "a resource with an external_id cannot depend on others; remove depends_on"
            self.reading.fault(text, (*at, "depends_on"), code=Code.EXTERNAL_ID)
        return value

    def _deletion_policy(self, expr: Expr, at: Path) -> str:
        if expr is None:
            return POLICIES[0]
        value = self._evaluator.value(expr, at)
        if value is None or value is UNKNOWN:
            return POLICIES[0]
        lower = has_lower_case_policies(self._template.version)
        for policy in POLICIES:
            if value == policy or (lower and value == policy.lower()):
                return policy
        text = f"{'this' if has_call(value) else shown(value)} is no deletion policy"
        text = f"{text}; known are {', '.join(POLICIES)}"
        self.reading.fault(text, at, code=Code.DELETION_POLICY)
        return POLICIES[0]


def _which(problem: Problem) -> tuple[Path, Code]:
    """Return what a problem is known by whose text may show values."""
    return problem.at, problem.code


def _told_alone(problem: Problem) -> Problem:
    """Return the problem of one output: clients compare its text, which ends where Heat's does."""
    return replace(problem, text=problem.text.removesuffix(UNDECLARED))


def _rotated(circle: list[str], order: list[str]) -> list[str]:
    """Begin the circle with the resource that the template has first."""
    first = min(range(len(circle)), key=lambda index: order.index(circle[index]))
    return circle[first:] + circle[:first]
