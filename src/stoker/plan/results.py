"""What can be told of properties before anything is made, whatever conditions and parameters are.

Rule: only what is certain is told: a function's result whose type is known, where no conversion
makes the property's type of it; and a value in a branch of ``if``, or in a resource whose condition
is false, as a warning, since it counts with other parameters only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from stoker.errors import Code, Kind, Path, Problem, Severity
from stoker.lang.syntax import Call, Template
from stoker.lang.unknown import UNKNOWN

if TYPE_CHECKING:
    from stoker.sdk.resource import Resource
    from stoker.sdk.schema import Property, Props

_SCALARS: Final = frozenset({"string", "number", "boolean"})
_LARGE: Final = frozenset({"list", "map"})
_REFUSED: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("string", "integer", "number", "boolean"), _LARGE),
    "list": _SCALARS | {"map"},
    "map": _SCALARS | {"list"},
}
"""What a property of a type never takes."""

_RESULTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("list_join", "str_replace", "str_replace_strict", "str_replace_vstrict", "digest",
         "get_file", "get_resource", "Fn::Join", "Fn::Replace", "Fn::Base64", "Fn::Sub"),
        "string",
    ),
    **dict.fromkeys(
        ("list_concat", "list_concat_unique", "str_split", "repeat", "filter", "Fn::Split"), "list"
    ),
    **dict.fromkeys(("map_merge", "map_replace", "Fn::MemberListToMap"), "map"),
}  # fmt: skip
_OF_PARAMETERS: Final[Mapping[str, str]] = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "comma_delimited_list": "list",
}
"""A json parameter may hold anything."""


def foreseen(
    template: Template, kinds: Mapping[str, Resource[Any] | None], enabled: Iterable[str]
) -> Iterator[Problem]:
    """Give what is wrong with the properties of the resources in ``kinds``, each with its place.

    A None is a type that does not exist. Those ``enabled`` are checked as they are elsewhere.
    """
    there = frozenset(enabled)
    for each in _foreseen(template, kinds, there):
        yield replace(each, place=each.place or template.places.nearest(each.at))


def _foreseen(
    template: Template, kinds: Mapping[str, Resource[Any] | None], enabled: frozenset[str]
) -> Iterator[Problem]:
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    for name in kinds:
        syntax = template.resources[name]
        at: Path = ("resources", name)
        if name in known:
            look = _Look(template, known, dead=name not in enabled)
            yield from look.resource(syntax.properties, known[name].Props, (*at, "properties"))
        elif name not in enabled:
            text = f"Unknown resource Type : {syntax.type}"
            yield _warning(Problem(text, (*at, "type"), kind=Kind.TYPE))


@dataclass(frozen=True)
class _Look:
    """Walks properties beside their declarations; in a ``dead`` one all is a warning."""

    template: Template
    kinds: Mapping[str, Resource[Any]]
    dead: bool

    def resource(self, given: Any, props: type[Props], at: Path) -> Iterator[Problem]:
        """Walk the properties of a resource."""
        if self.dead:
            found: list[Problem] = []
            props.read(_opened(given), at, found)
            yield from map(_warning, found)
        yield from self.map(given, props, at)

    def map(self, given: Any, props: type[Props], at: Path) -> Iterator[Problem]:
        """Walk a map of properties."""
        if isinstance(given, dict):
            for wire, each in props.properties().items():
                if wire in given:
                    yield from self._value(given[wire], each, (*at, wire))

    def _value(self, given: Any, declared: Property, at: Path) -> Iterator[Problem]:
        if isinstance(given, Call):
            yield from self._call(given, declared, at)
        elif declared.nested is not None:
            yield from self.map(given, declared.nested, at)
        elif declared.item is not None and isinstance(given, list):
            for index, each in enumerate(given):
                yield from self._value(each, declared.item, (*at, index))

    def _call(self, call: Call, declared: Property, at: Path) -> Iterator[Problem]:
        if call.name == "if":
            if isinstance(call.args, list):
                yield from self._branches(call.args[1:], declared, (*at, "if"))
            return
        result = self._result(call)
        refused = _REFUSED.get(declared.type_name, frozenset())
        if result in refused and not (declared.spec.convert and result == "string"):
            text = f"{call.name} gives a {result} here, and this takes a {declared.type_name}"
            told = Problem(text, at, call.place, Kind.PROPERTY, Code.FUNCTION_RESULT)
            yield _warning(told) if self.dead else told

    def _branches(self, branches: list[Any], declared: Property, at: Path) -> Iterator[Problem]:
        inside = replace(self, dead=True)
        for index, branch in enumerate(branches, 1):
            where = (*at, index)
            opened = _opened(branch)
            if opened is not None and opened is not UNKNOWN:
                found: list[Problem] = []
                declared.check(opened, where, found)
                yield from map(_warning, found)
            yield from inside._value(branch, declared, where)  # noqa: SLF001 - its own kind

    def _result(self, call: Call) -> str | None:
        args = call.args
        if call.name == "get_param" and isinstance(args, str):
            schema = self.template.parameters.get(args)
            return _OF_PARAMETERS.get(schema.type) if schema else None
        if call.name in ("get_attr", "Fn::GetAtt"):
            return self._attribute(args)
        return _RESULTS.get(call.name)

    def _attribute(self, args: Any) -> str | None:
        """Return the type of an attribute, where it is asked for whole and is no scalar."""
        match args:
            case [str(resource), str(name)] if resource in self.kinds:
                there = self.kinds[resource].attributes.get(name)
                return there.type if there and there.type in _LARGE else None
        return None


def _warning(problem: Problem) -> Problem:
    return replace(problem, severity=Severity.WARNING)


def _opened(expr: Any) -> Any:
    """Return an expression with UNKNOWN in place of each call."""
    if isinstance(expr, Call):
        return UNKNOWN
    if isinstance(expr, dict):
        return {key: _opened(each) for key, each in expr.items()}
    return [_opened(each) for each in expr] if isinstance(expr, list) else expr
