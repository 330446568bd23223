"""From the documents of a request to what is desired, all problems told at once.

A child stack is described by its parent's resource; validation follows the children down, so
that a fault deep in a nested template is told with the whole way to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from stoker.engine.naming import physical_name
from stoker.engine.offer import Completion
from stoker.engine.secrets import hidden_inputs, hidden_values, masked
from stoker.errors import Code, Invalid, Kind, LimitExceeded, Place, Problem
from stoker.lang import template as templates
from stoker.lang.calls import ZONES
from stoker.lang.environment import Environment
from stoker.lang.expression import evaluate
from stoker.lang.sinks import webhooks
from stoker.lang.stack import Inputs, Instance, assess
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.plan import restoring
from stoker.plan.desired import NOTHING, Desired, Want, desired
from stoker.sdk.cloud import Lookup
from stoker.sdk.resource import At, Child, StackInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.engine.settings import Settings
    from stoker.lang.places import Places
    from stoker.sdk.resource import Types

MOST_WEBHOOKS = 10
_INPUTS = {Kind.PARAMETER_MISSING, Kind.PARAMETER_UNKNOWN}
_OF_PROPERTIES = frozenset({Kind.PROPERTY})
_NO_FILE = "nested_stack"
"""What clients look for in place of the file of a template that has none."""
_NO_ROW = "00000000-0000-4000-8000-000000000000"
"""Stands for the row of a resource that is only thought of."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What a stack is made from; ``parameters`` are those of the request or of the parent.

    ``secrets`` are the hidden values that a child inherits. ``restored`` is what a restore has
    changed, of the children what it is to change (``plan.restoring``), and ``asked`` the template
    that their parent gave them before that. ``observe``: an update to
    it looks at what there is, below it too. ``tags`` and
    ``timeout_mins`` are kept with a goal, so that a way back to it is a way back to them.
    ``zones`` are the compute service's, as the goal was accepted; None where nothing asks for
    them. ``held`` are resources that this goal leaves as the one before it had them.
    """

    template: str | Mapping[str, Any]
    environment: Environment
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    file: str = "template"
    facade: Mapping[str, Any] | None = None
    secrets: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    timeout_mins: int | None = None
    restored: Mapping[str, Any] = field(default_factory=dict)
    asked: str | Mapping[str, Any] | None = None
    observe: bool = False
    zones: tuple[str, ...] | None = None
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A goal that is well formed.

    ``total`` counts the resources of the whole tree, ``types`` are theirs; ``needs_cloud``:
    one of them, or a child that is not known yet, asks for a service. ``secrets`` are the
    hidden values of the whole tree.
    """

    documents: Documents
    template: templates.Template
    instance: Instance
    desired: Desired
    lookups: tuple[Lookup, ...]
    total: int
    needs_cloud: bool
    types: frozenset[str]
    secrets: frozenset[str]

    def lacks_zones(self) -> bool:
        """Tell whether the template, or a file that may become a child, wants zones in vain."""
        if self.documents.zones is not None:
            return False
        files = self.documents.files.values()
        return self.template.asks_zones or any(ZONES in text for text in files)


Look = Callable[[Documents], tuple[Prepared, list[Problem]]]


class Preparation:
    """Reads, checks and instantiates goals, children included.

    What is ``overlooked`` is no reason to refuse a goal.
    """

    def __init__(
        self, types: Types, settings: Settings, overlooked: frozenset[Kind] = frozenset()
    ) -> None:
        self._types, self._settings, self.overlooked = types, settings, overlooked
        self._for_children = self

    def describing(self) -> Preparation:
        """Return one that follows the children down also where their properties do not fit."""
        made = Preparation(self._types, self._settings, self.overlooked)
        made._for_children = Preparation(self._types, self._settings, _OF_PROPERTIES)
        return made

    def prepare(
        self,
        documents: Documents,
        stack: StackInfo,
        *,
        previous: Mapping[str, Any] | None = None,
        strict: bool = True,
        depth: int = 0,
    ) -> Prepared:
        """Return the goal ready to be planned; raises Invalid with every problem."""

        def look(documents: Documents) -> tuple[Prepared, list[Problem]]:
            return self.assess(documents, stack, previous=previous, strict=strict, depth=depth)

        # What a child lacks its parents' files will have.
        goal, problems = look(documents) if depth else self._completed(documents, look)
        if problems:
            raise Invalid(problems)
        self._check_total(goal.total)
        _check_sinks(documents.environment)
        return goal

    def assess(
        self,
        documents: Documents,
        stack: StackInfo,
        *,
        previous: Mapping[str, Any] | None = None,
        strict: bool = True,
        depth: int = 0,
    ) -> tuple[Prepared, list[Problem]]:
        """Return the goal, as far as it can be told, and all that is wrong in its whole tree.

        Raises Invalid where its own template cannot be read.
        """
        alone, problems = self._assess_alone(documents, stack, previous, strict=strict)
        lookups, secrets = list(alone.lookups), alone.secrets
        total, needs_cloud, types = alone.total, alone.needs_cloud, alone.types
        for want in self._parents(alone.desired, depth):
            at = ("resources", want.definition.name)
            try:
                child = self._child(want, alone, stack, depth)
            except Invalid as e:
                problems.extend(of_child(p, want, alone.template) for p in e.problems)
                continue
            except LimitExceeded as e:
                raise LimitExceeded(str(e), (*at, *e.at), e.place or want.definition.place) from e
            if child is None:
                needs_cloud = True
            else:
                total += child.total
                needs_cloud = needs_cloud or child.needs_cloud
                types |= child.types
                secrets |= child.secrets
                lookups.extend(_of_parent(e, want, alone, child) for e in child.lookups)
        goal = replace(
            alone,
            lookups=tuple(lookups),
            total=total,
            needs_cloud=needs_cloud,
            types=types,
            secrets=secrets,
        )
        return goal, problems

    def alone(
        self,
        documents: Documents,
        stack: StackInfo,
        *,
        previous: Mapping[str, Any] | None = None,
        strict: bool = True,
    ) -> Prepared:
        """Return the goal without a look at its children (they are checked at their turn)."""
        goal, problems = self._completed(
            documents, lambda each: self._assess_alone(each, stack, previous, strict=strict)
        )
        if strict and goal.template.asks_zones and documents.zones is None:
            text = f"{ZONES} is in no file of the request; write it in the template's own words"
            problems.append(Problem(text, ("resources",), code=Code.FUNCTION_UNAVAILABLE))
        if problems:
            raise Invalid(problems)
        return goal

    def holding(self, documents: Documents, names: frozenset[str], before: Documents) -> Documents:
        """Return documents in which the resources ``names`` stay what they are ``before``, with
        what their types stand for there; what has a meaning by now has that.

        What a restore changes is not held.
        """
        environment = documents.environment.with_shared(self._settings.offer.registry)
        return replace(
            documents,
            held=names - documents.restored.keys(),
            files={**before.files, **documents.files},
            environment=environment.knowing(before.environment, self._types.names()),
        )

    def _completed(self, documents: Documents, look: Look) -> tuple[Prepared, list[Problem]]:
        """Return what ``look`` gives when the files hold all templates that can be had."""
        completion = Completion(self._settings.offer)
        while True:
            goal, problems = look(documents)
            found = completion.found(problems)
            if not found:
                return goal, completion.told(problems)
            documents = replace(documents, files={**documents.files, **found})

    def _assess_alone(
        self,
        documents: Documents,
        stack: StackInfo,
        previous: Mapping[str, Any] | None,
        *,
        strict: bool,
    ) -> tuple[Prepared, list[Problem]]:
        template = templates.read(documents.template, documents.file)
        environment = documents.environment.with_shared(self._settings.offer.registry)
        documents = replace(documents, environment=environment)
        inputs = Inputs(
            stack_name=stack.name,
            stack_id=stack.id,
            project_id=stack.project_id,
            environment=environment,
            parameters=documents.parameters,
            files=documents.files,
            strict=strict,
            previous=previous,
            facade=documents.facade,
            zones=documents.zones,
        )
        instance, found = assess(template, inputs)
        wanted, problems = desired(
            instance, environment, documents.files, self._types, found, documents.held
        )
        hidden = (documents.secrets | _inputs(documents, template)) if problems else frozenset()
        told = [replace(each, text=masked(each.text, hidden), place=_place(each, template))
                for each in problems if each.kind not in self.overlooked]  # fmt: skip
        lookups = (*instance_lookups(instance, template.places), *wanted.lookups)
        wants = wanted.wants.values()
        needs_cloud = any(want.kind.service is not None for want in wants)
        types = frozenset(want.definition.type for want in wants)
        secrets = hidden_values(instance) | documents.secrets
        goal = Prepared(
            documents, template, instance, wanted, lookups, len(wants), needs_cloud, types, secrets
        )
        return goal, told

    def children(
        self, prepared: Prepared, stack: StackInfo, depth: int
    ) -> Iterator[tuple[Want, Prepared]]:
        """Give the children of a prepared goal that are known before anything is made."""
        if depth > 0 and self._for_children is not self:
            yield from self._for_children.children(prepared, stack, depth)
            return
        for want in self._parents(prepared.desired, depth):
            child = self._child(want, prepared, stack, depth)
            if child is not None:
                yield want, child

    def _parents(self, goal: Desired, depth: int) -> list[Want]:
        found = [want for want in goal.wants.values() if want.kind.has_child]
        if depth == 0:
            return found
        # Members of a group are alike: one of each implementation speaks for all.
        return list({want.type_name: want for want in reversed(found)}.values())

    def _child(self, want: Want, parent: Prepared, stack: StackInfo, depth: int) -> Prepared | None:
        raw = evaluate(want.definition.properties, NOTHING)
        props = None if raw is UNKNOWN else want.kind.Props.read(raw or {}, (), [])
        if props is None and self.overlooked:
            props = want.kind.Props.read({}, (), [])
        if props is None:
            return None
        name = physical_name(stack.name, want.definition.name, _NO_ROW)
        child = want.kind.child(thought_of(want, props, name, stack))
        if child is None or not is_known(child.template):
            return None
        if depth + 1 > self._settings.max_nested_stack_depth:
            raise LimitExceeded(
                f"Recursion depth exceeds {self._settings.max_nested_stack_depth}:"
                f" resource {want.definition.name} nests too deeply",
                place=want.definition.place,
            )
        known = {k: v for k, v in child.parameters.items() if is_known(v)}
        definition = want.definition
        facade = {
            "metadata": definition.metadata,
            "deletion_policy": definition.deletion_policy,
            "update_policy": definition.update_policy,
        }
        below = self._for_children
        return below.prepare(
            child_documents(
                parent.documents,
                definition.name,
                definition.type,
                child,
                facade=facade,
                parameters=known,
                secrets=parent.secrets,
            ),
            StackInfo("", name, stack.project_id),
            strict=len(known) == len(child.parameters) and not below.overlooked,
            depth=depth + 1,
        )

    def _check_total(self, total: int) -> None:
        most = self._settings.max_resources_per_stack
        if most >= 0 and total > most:
            raise LimitExceeded(
                f"You have reached the maximum resources per stack, {most}:"
                f" this one would have {total}"
            )


def _check_sinks(environment: Environment) -> None:
    if len(webhooks(environment.event_sinks)) > MOST_WEBHOOKS:
        raise LimitExceeded(
            f"An environment may have {MOST_WEBHOOKS} webhooks: an update with the existing"
            " environment adds its own to them"
        )


def _place(problem: Problem, template: templates.Template) -> Place | None:
    """Return where the problem stands; what a type says of its resource has a path alone."""
    if problem.place is None and problem.at[:1] == ("resources",):
        return template.places.nearest(problem.at)
    return problem.place


def of_child(problem: Problem, want: Want, parent: templates.Template) -> Problem:
    """Return a child's problem as its parent's: it is not the user who gives the child's inputs.

    What stands in a template that nobody wrote gets the place of what that was made of.
    """
    kind = Kind.PROPERTY if problem.kind in _INPUTS else problem.kind
    resource = ("resources", want.definition.name)
    source = want.kind.source_of(problem.source or problem.at) if problem.place is None else None
    made_of = () if source is None else (*resource, "properties", *source)
    return replace(
        problem,
        at=(*resource, *problem.at),
        kind=kind,
        place=parent.places.nearest(made_of) if made_of else problem.place,
        files=(want.provider or _NO_FILE, *problem.files),
        source=made_of,
    )


def _of_parent(lookup: Lookup, want: Want, parent: Prepared, child: Prepared) -> Lookup:
    """Return a child's look-up as its parent's; it stands where what it was made of stands."""
    at, spot = ("resources", want.definition.name), lookup.spot
    if spot is not None and spot[0] is child.template.places:
        source = want.kind.source_of(spot[1])
        if source is not None:
            spot = parent.template.places, (*at, "properties", *source)
    return replace(lookup, at=(*at, *lookup.at), spot=spot)


def nothing(template: str | Mapping[str, Any], timeout_mins: int | None) -> Documents:
    """Return what a stack without resources is made from, in the template's language."""
    whole = templates.read(template).raw
    versions = {key: value for key, value in whole.items() if "version" in key.lower()}
    return Documents(versions, Environment(), timeout_mins=timeout_mins)


def _inputs(documents: Documents, template: templates.Template) -> frozenset[str]:
    """Return what is given for hidden parameters, also where it is not fit for them."""
    environment = documents.environment
    given = (environment.parameter_defaults, environment.parameters, documents.parameters)
    return hidden_inputs(template, *given)


def instance_lookups(instance: Instance, places: Places) -> tuple[Lookup, ...]:
    """Return the look-ups that parameters' custom constraints ask for."""
    found = ((each, tuple(each.at)) for each in instance.lookups)
    return tuple(Lookup(each.constraint, each.value, at, (places, at)) for each, at in found)


def thought_of(want: Want, props: Any, name: str, stack: StackInfo) -> At[Any]:
    """Return where a resource stands that does not exist."""
    return At(
        props=props,
        name=name,
        mark="",
        logical_name=want.definition.name,
        stack=stack,
        entropy=bytes,
    )


def child_documents(
    parent: Documents,
    name: str,
    type_used: str,
    child: Child,
    *,
    facade: Mapping[str, Any],
    parameters: Mapping[str, Any],
    secrets: frozenset[str] = frozenset(),
) -> Documents:
    """Return what the child stack of the resource ``name`` is made from.

    ``type_used`` is its type as the template has it; ``facade`` its metadata and policies.
    """
    restored = restoring.below(parent.restored, name)
    template = child.template
    if restored:
        raw = templates.read(template, child.file).raw
        restored = restoring.fitting(raw, restored)
        template = restoring.mended_template(raw, restored)
    return Documents(
        template=template,
        environment=parent.environment.for_child(name, type_used),
        parameters=parameters,
        files=parent.files,
        file=_file_of(child, parent),
        facade=facade,
        secrets=secrets,
        restored=restored,
        asked=child.template if restored else None,
        observe=parent.observe,
        zones=parent.zones,
    )


def _file_of(child: Child, parent: Documents) -> str:
    """Return the name of the child's template: of the file that has its text, where one has.

    What nobody wrote as a text is a part of the parent's template.
    """
    if not isinstance(child.template, str):
        return parent.file
    same = (name for name, text in parent.files.items() if text == child.template)
    return child.file if child.file in parent.files else next(same, child.file)
