"""OS::Heat::Value: a value under a name, turned to a type when one is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from stoker.errors import Invalid, Kind, Problem
from stoker.sdk.cloud import Cloud
from stoker.sdk.coerce import boolean, number, string
from stoker.sdk.resource import At, Done, Resource, Step
from stoker.sdk.schema import Attr, Props, attrs, prop
from stoker.sdk.value import is_open, thaw


class ValueProps(Props):
    value: Any = prop("The value itself.", updatable=True)
    type: str | None = prop(
        "Type to which the value is turned; without it it stays as it is.",
        default=None,
        updatable=True,
        one_of=("string", "number", "comma_delimited_list", "json", "boolean"),
    )


def _text(value: Any) -> Any:
    return json.dumps(thaw(value)) if isinstance(value, tuple | Mapping) else _by(string)(value)


def _by(check: Callable[[Any, tuple[str, ...], list[Problem]], Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        found: list[Problem] = []
        typed = check(value, ("value",), found)
        if found:
            raise Invalid(found)
        return typed

    return read


def _list(value: Any) -> Any:
    if isinstance(value, str):
        return value.split(",") if value else []
    if isinstance(value, tuple):
        return [_text(each) for each in value]
    raise Invalid([_problem(f"{value!r} is not a list")])


def _json(value: Any) -> Any:
    if isinstance(value, tuple | Mapping):
        return thaw(value)
    try:
        return json.loads(value)
    except (TypeError, ValueError) as e:
        raise Invalid([_problem(f"{value!r} is not JSON: {e}")]) from e


def _problem(text: str) -> Problem:
    return Problem(text, ("value",), None, Kind.PROPERTY)


TYPED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "string": _text,
    "number": _by(number),
    "boolean": _by(boolean),
    "comma_delimited_list": _list,
    "json": _json,
}


def typed(props: ValueProps) -> Any:
    """Return the value, turned to its type; raises Invalid where it cannot be."""
    return TYPED[props.type](props.value) if props.type is not None else thaw(props.value)


class Value(Resource[ValueProps]):
    type_name = "OS::Heat::Value"
    since = "7.0.0"
    doc = "A value that the template uses in several places."
    Props = ValueProps
    computes = True
    attributes = attrs(value=Attr("The value.", None))

    def validate(self, props: ValueProps) -> Iterable[Problem]:
        if is_open(props.value) or is_open(props.type):
            return ()
        try:
            typed(props)
        except Invalid as e:
            return e.problems
        return ()

    def create(self, at: At[ValueProps], cloud: Cloud) -> Step:
        return Done({"value": typed(at.props)}, id=at.name)

    def update(self, at: At[ValueProps], cloud: Cloud) -> Step:
        return Done({"value": typed(at.props)})

    def adopt(self, at: At[ValueProps], cloud: Cloud) -> Step:
        return self.update(at, cloud)

    def delete(self, at: At[ValueProps], cloud: Cloud) -> Step:
        return Done()
