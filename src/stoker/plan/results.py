"""Functions that give another type than the property takes, told before anything is made.

Rule: only what is certain is told: a result whose type is known, and a type that no conversion
makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from stoker.errors import Code, Kind, Path, Problem
from stoker.lang.syntax import Call, Template

if TYPE_CHECKING:
    from stoker.plan.desired import Want
    from stoker.sdk.schema import Property, Props

_SCALARS: Final = frozenset({"string", "number", "boolean"})
_REFUSED: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"list", "map"}),
    "integer": frozenset({"list", "map"}),
    "number": frozenset({"list", "map"}),
    "boolean": frozenset({"list", "map"}),
    "list": _SCALARS | {"map"},
    "map": _SCALARS | {"list"},
}
"""What a property of a type never takes."""

_RESULTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("list_join", "str_replace", "str_replace_strict", "str_replace_vstrict", "digest",
         "get_file", "get_resource", "Fn::Join", "Fn::Replace", "Fn::Base64"),
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


def mismatches(template: Template, wants: Mapping[str, Want]) -> Iterator[Problem]:
    """Give what the functions in properties give that these do not take."""
    look = _Look(template, wants)
    for name, want in wants.items():
        at: Path = ("resources", name, "properties")
        yield from look.map(template.resources[name].properties, want.kind.Props, at)


class _Look:
    """Walks properties beside their declarations."""

    def __init__(self, template: Template, wants: Mapping[str, Want]) -> None:
        self._template, self._wants = template, wants

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
        result = self._result(call)
        refused = _REFUSED.get(declared.type_name, frozenset())
        if result in refused and not (declared.spec.convert and result == "string"):
            text = f"{call.name} gives a {result} here, and this takes a {declared.type_name}"
            yield Problem(text, at, call.place, Kind.PROPERTY, Code.FUNCTION_RESULT)

    def _result(self, call: Call) -> str | None:
        args = call.args
        if call.name == "get_param" and isinstance(args, str):
            schema = self._template.parameters.get(args)
            return _OF_PARAMETERS.get(schema.type) if schema else None
        if call.name in ("get_attr", "Fn::GetAtt"):
            return self._attribute(args)
        return _RESULTS.get(call.name)

    def _attribute(self, args: Any) -> str | None:
        """Return the type of an attribute, where it is asked for whole and is no scalar."""
        match args:
            case [str(resource), str(name)] if resource in self._wants:
                there = self._wants[resource].kind.attributes.get(name)
                return there.type if there and there.type in ("list", "map") else None
        return None
