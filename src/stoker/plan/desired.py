"""What a template wants, checked against its types: the input of a plan.

Every problem of every resource is found in one pass; what has to exist in the cloud comes
out as look-ups for the use case to resolve in bulk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoker.errors import Code, Invalid, Kind, MissingFile, Path, Problem
from stoker.graph.dag import CycleError, Dag
from stoker.lang.environment import is_template
from stoker.lang.expression import ALL_ATTRIBUTES, evaluate, is_settled, located, references
from stoker.lang.fetched import untyped
from stoker.lang.suggestion import meant
from stoker.lang.unknown import UNKNOWN
from stoker.plan.facade import facade, faults
from stoker.sdk.around import Around
from stoker.sdk.cloud import Lookup
from stoker.sdk.lacking import lacking
from stoker.sdk.resource import Wanted
from stoker.sdk.variants import is_variant, recorded_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.lang.environment import Environment
    from stoker.lang.stack import Definition, Instance
    from stoker.sdk.resource import Resource, Types


@dataclass(slots=True)
class Want:
    """One resource as it should be. ``provider``: the template file that implements its type.

    ``hooks`` hold it up (``pre-create`` …); ``restricted`` must not be done to it (``update`` …).
    Nobody changes one; it is not frozen for the reason of a Call.
    """

    definition: Definition
    kind: Resource[Any]
    provider: str | None
    hooks: frozenset[str] = frozenset()
    restricted: frozenset[str] = frozenset()

    @property
    def type_name(self) -> str:
        """The type as recorded: what implements it, so that a re-mapping is a change."""
        return self.provider or recorded_as(self.kind)


@dataclass(frozen=True, slots=True)
class Desired:
    """All resources that a template wants, in its order; ``graph`` includes implicit needs.

    Those ``held`` are left alone, where they are at rest: another goal will change them.
    """

    wants: Mapping[str, Want]
    graph: Dag[str]
    lookups: tuple[Lookup, ...]
    held: frozenset[str] = frozenset()


class _Nothing:
    """References before anything exists."""

    def reference(self, resource: str) -> Any:
        return UNKNOWN

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return UNKNOWN


NOTHING = _Nothing()


def desired(
    instance: Instance,
    environment: Environment,
    files: Mapping[str, str],
    types: Types,
    found: Iterable[Problem] = (),
    held: frozenset[str] = frozenset(),
) -> tuple[Desired, list[Problem]]:
    """Return what the instance wants, as far as it can be told, and all that is wrong with it.

    What is ``held`` was found right under a goal before this one, and is not asked again.
    """
    problems = list(found)
    wants: dict[str, Want] = {}
    for definition in instance.definitions.values():
        want = _want(definition, environment, files, types, problems)
        if want is not None:
            wants[definition.name] = want
    lookups: list[Lookup] = []
    for name, want in wants.items():
        if name not in held:
            around = _around(want, environment, files)
            _check(want, wants, problems, lookups, around)
    _check_outputs(instance, wants, problems)
    graph = instance.graph
    if not any(each.kind is Kind.CIRCULAR for each in problems):
        graph = _with_implicit(graph, wants)
    return Desired(wants, graph, tuple(lookups), held), problems


def _want(
    definition: Definition,
    environment: Environment,
    files: Mapping[str, str],
    types: Types,
    problems: list[Problem],
) -> Want | None:
    implementation = environment.resolve(definition.type, definition.name) or definition.type
    at: Path = ("resources", definition.name, "type")
    if is_template(implementation):
        if implementation not in files:
            problems.append(_missing(definition, implementation, at))
            return None
        try:
            kind = types.from_template(definition.type, files[implementation])
            stood_for = facade(definition.type, definition.name, environment, types, files)
        except Invalid as e:
            problems.extend(e.problems)
            return None
        if stood_for is not None:
            problems.extend(_unlike(definition.type, stood_for, kind, problems))
        return _wanted(definition, kind, implementation, environment)
    found = None if is_variant(implementation) else types.get(implementation)
    if found is None and (lack := lacking(implementation)) is not None:
        problems.append(Problem(lack, at, None, Kind.TYPE, Code.UNAVAILABLE_TYPE))
        return None
    if found is None:
        text = f"Unknown resource Type : {implementation}"
        hint = meant(implementation, types.names(), len(problems))
        problems.append(Problem(text, at, None, Kind.TYPE, hint=hint))
        return None
    return _wanted(definition, _fitting(found, definition), None, environment)


def _wanted(
    definition: Definition, kind: Resource[Any], provider: str | None, environment: Environment
) -> Want:
    name = definition.name
    hooks, restricted = environment.hooks(name), environment.restricted_actions(name)
    return Want(_described(definition, kind), kind, provider, hooks, restricted)


def _missing(definition: Definition, file: str, at: Path) -> MissingFile:
    """Return what is wrong where the file is not there that stands for the type."""
    text = f"{file} is not among the files of the request"
    # What an environment maps a type to is no name in the template.
    hint = untyped(file, definition.whole.file) if file == definition.type else ""
    return MissingFile(text, at, None, Kind.TYPE, Code.MISSING_FILE, hint=hint, file=file)


def _fitting(kind: Resource[Any], definition: Definition) -> Resource[Any]:
    """Return the variant of the type that the properties ask for."""
    if not kind.variants:
        return kind
    try:
        raw = _known(definition.properties)
    except Invalid:  # told where the properties are checked
        return kind
    return kind.fitting(raw) if isinstance(raw, Mapping) else kind


def _known(properties: Any) -> Any:
    """Return what is known of properties now; raises Invalid."""
    return properties if is_settled(properties) else evaluate(properties, NOTHING)


def _around(want: Want, environment: Environment, files: Mapping[str, str]) -> Around:
    """Return what the resource finds around it, where it wants that."""
    if not want.kind.always_updated:
        return Around()
    return Around.of(environment, files, want.definition.name, want.definition.type)


def _unlike(
    type_name: str, stood_for: Resource[Any], kind: Resource[Any], told: list[Problem]
) -> list[Problem]:
    """Return what is wrong with a mapping: its place is in the environment, and told once."""
    found = (
        Problem(text, kind=Kind.TYPE, code=Code.FACADE)
        for text in faults(type_name, stood_for, kind)
    )
    return [each for each in found if each not in told]


def _described(definition: Definition, kind: Resource[Any]) -> Definition:
    """Hand the resource's description to a property of that name, where it is free to change."""
    properties = definition.properties
    if not definition.description or "description" not in kind.Props.updatable():
        return definition
    if not isinstance(properties, Mapping):
        return definition
    if properties.get("description") is not None:
        return definition
    text = definition.description
    return replace(definition, properties={**properties, "description": text})


def _check(
    want: Want,
    wants: Mapping[str, Want],
    problems: list[Problem],
    lookups: list[Lookup],
    around: Around,
) -> None:
    definition, kind = want.definition, want.kind
    at: Path = ("resources", definition.name, "properties")
    if definition.requires or definition.external_id is not None:  # else it asks for none
        _check_attributes(definition.properties, at, definition, wants, problems)
    if definition.external_id is not None:  # its properties are not used
        if kind.has_child or kind.variant is not None:
            text = f"a {kind.type_name} cannot stand for a stack of others; remove external_id"
            external: Path = ("resources", definition.name, "external_id")
            problems.append(Problem(text, external, code=Code.EXTERNAL_ID))
        return
    if definition.deletion_policy == "Snapshot" and not kind.supports("keep"):
        text = f"there are no snapshots of {kind.type_name}; use Delete or Retain"
        policy: Path = ("resources", definition.name, "deletion_policy")
        problems.append(Problem(text, policy, code=Code.DELETION_POLICY))
    if definition.update_policy is not UNKNOWN and definition.update_policy:
        _check_policy(definition, kind, wants, problems)
    try:
        raw = _known(definition.properties)
    except Invalid as e:
        problems.extend(e.problems)
        return
    if raw is UNKNOWN:
        return
    found: list[Problem] = []
    props = kind.Props.read(raw or {}, at, found)
    if props is not None:
        found.extend(replace(p, at=(*at, *p.at)) for p in kind.validate(props))
        lookups.extend(
            Lookup(look.constraint, look.value, where, (definition.whole, where))
            for look in kind.lookups_around(props, around)
            for where in [(*at, *look.at)]
        )
    if found:
        problems.extend(_placed(p, len(at), definition) for p in found)


def _check_policy(
    definition: Definition,
    kind: Resource[Any],
    wants: Mapping[str, Want],
    problems: list[Problem],
) -> None:
    at: Path = ("resources", definition.name, "update_policy")
    _check_attributes(definition.update_policy, at, definition, wants, problems)
    try:
        raw = _known(definition.update_policy)
    except Invalid as e:
        problems.extend(e.problems)
        return
    if raw is not UNKNOWN:
        problems.extend(
            replace(each, place=definition.whole.nearest(each.at))
            for each in kind.Policy.check(raw, at)
        )


def _placed(problem: Problem, skip: int, definition: Definition) -> Problem:
    if problem.place is not None:
        return problem
    path = problem.at[skip:]
    if not path:  # of all properties together: where the key is, whoever knows that
        return problem
    while path and path not in definition.places:
        path = path[:-1]
    place = definition.places.get(path, definition.place)
    return replace(problem, place=place)


def _check_outputs(instance: Instance, wants: Mapping[str, Want], problems: list[Problem]) -> None:
    # What a child stack does not give is null in an output, as in Heat: it may come or go with an
    # update of the child's template alone.
    own = {name: want for name, want in wants.items() if not want.kind.has_child}
    for output in instance.outputs.values():
        _check_attributes(output.value, ("outputs", output.name, "value"), None, own, problems)


def _check_attributes(
    expr: Any,
    at: Path,
    of: Definition | None,
    wants: Mapping[str, Want],
    problems: list[Problem],
) -> None:
    """Note the attributes that ``expr``, which stands at ``at``, asks of types without them."""
    for ref in references(expr):
        target = wants.get(ref.resource)
        if ref.attribute in (None, ALL_ATTRIBUTES) or target is None or target.kind.open_attributes:
            continue
        told = _attribute_problem(ref.resource, ref.attribute, target.kind, len(problems))
        if told is not None:
            where, found = located(expr, ref, at)
            place = found or (None if of is None else of.place)
            problems.append(replace(told, at=where, place=place))


def _attribute_problem(name: str, attribute: str, kind: Resource[Any], told: int) -> Problem | None:
    there = kind.attributes.get(attribute)
    if there is not None and there.lacking is not None:
        text = f"{name} has no {attribute}: {there.lacking}"
        return Problem(text, kind=Kind.ATTRIBUTE, code=Code.ATTRIBUTE_UNAVAILABLE)
    if attribute in kind.attributes or attribute == "show":
        return None
    names = sorted(kind.attributes)
    text = (
        f"The Referenced Attribute ({name} {attribute}) is incorrect."
        f" {kind.type_name} has: {', '.join(names) or 'none'}"
    )
    return Problem(text, kind=Kind.ATTRIBUTE, hint=meant(attribute, names, told))


class _ByType:
    """The resources of a template, grouped by type once."""

    def __init__(self, wants: Mapping[str, Want]) -> None:
        self._groups: dict[str, list[Wanted]] = defaultdict(list)
        for name, want in wants.items():
            wanted = Wanted(name, want.kind.type_name, want.definition.properties)
            self._groups[wanted.type].append(wanted)

    def of_type(self, *types: str) -> Iterable[Wanted]:
        for each in types:
            yield from self._groups.get(each, ())


def _with_implicit(graph: Dag[str], wants: Mapping[str, Want]) -> Dag[str]:
    others = _ByType(wants)
    implicit: dict[str, set[str]] = {}
    for name, want in wants.items():
        if want.definition.external_id is not None:
            continue
        mine = Wanted(name, want.kind.type_name, want.definition.properties)
        extra = set(want.kind.after(mine, others)) - graph.needs.get(name, frozenset()) - {name}
        if extra:
            implicit[name] = extra
    while implicit:
        whole = Dag({k: v | frozenset(implicit.get(k, ())) for k, v in graph.needs.items()})
        try:
            list(whole.waves())
        except CycleError as e:  # what the template says outweighs what its types guess
            _drop_implicit(implicit, e)
        else:
            return whole
    return graph


def _drop_implicit(implicit: dict[str, set[str]], cycle: CycleError) -> None:
    for dependent, need in zip(cycle.path, cycle.path[1:], strict=False):
        if str(need) in implicit.get(str(dependent), ()):
            implicit[str(dependent)].discard(str(need))
            if not implicit[str(dependent)]:
                del implicit[str(dependent)]
            return
    raise cycle
