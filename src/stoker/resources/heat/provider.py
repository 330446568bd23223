"""A resource type that a template makes: its parameters are properties, its outputs attributes.

Rule: only what the user gave goes down as a parameter; defaults and absence are the
child's business, which knows the environment's parameter_defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from stoker.lang.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Custom,
    Length,
    Modulo,
    Range,
)
from stoker.lang.parameters import ParameterSchema
from stoker.lang.template import Template, read
from stoker.resources.heat.nesting import RESOURCE, goal, gone, inner
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, attrs, make_props, prop
from stoker.sdk.value import thaw

_REFERENCE: Final = "OS::stack_id"

_HINTS: Final[Mapping[str, Any]] = {
    "string": str | None,
    "number": float | None,
    "boolean": bool | None,
    "comma_delimited_list": tuple[Any, ...] | None,
    "json": Any,
}

_FROM_TEXT: Final = frozenset({"comma_delimited_list", "json"})


class Provider(Resource[Any]):
    """The type of one template text; :func:`provider` makes subclasses of it."""

    since = ""
    has_child = True
    text = ""

    def child(self, at: At[Any]) -> Child:
        given = {wire: getattr(at.props, each.name) for wire, each in self._fields()}
        values = {wire: _parameter(value) for wire, value in given.items() if value is not None}
        return Child(self.text, values, file=self.type_name)

    def _fields(self) -> Any:
        return self.Props.properties().items()

    def reference(self, view: View) -> Any:
        return view.outputs.get(_REFERENCE) or view.child_arn or super().reference(view)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        if name.startswith(RESOURCE):
            return inner(view, name, path)
        return dict(view.outputs) if name == "show" else view.outputs.get(name)

    def create(self, at: At[Any], cloud: Cloud) -> Step:
        return Done() if at.child is not None else goal(self.child(at))

    def update(self, at: At[Any], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[Any], cloud: Cloud) -> Step:
        return gone(at)


class Outputs(dict[str, Attr]):
    """The outputs by name; ``resource.<name>`` reaches into the child besides them."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or str(name).startswith(RESOURCE)


def provider(name: str, text: str) -> Resource[Any]:
    """Return the type ``name`` that the template ``text`` makes; raises Invalid."""
    template = read(text, name)
    outputs = {key: Attr(each.description, None) for key, each in template.outputs.items()}
    made = {
        "type_name": name,
        "doc": template.description or "",
        "Props": _properties(name, template),
        "attributes": Outputs({**outputs, **attrs()}),
        "text": text,
    }
    kind: type[Provider] = type("Provider", (Provider,), made)
    return kind()


def _properties(name: str, template: Template) -> type[Props]:
    fields = {
        f"p{i}": (_HINTS[each.type], _declared(each))
        for i, each in enumerate(template.parameters.values())
    }
    return make_props(f"Properties of {name}", fields, module=__name__)


def _declared(schema: ParameterSchema) -> Any:
    default = {} if schema.default is None else {"default": schema.default}
    limits: dict[str, Any] = {}
    for constraint in schema.constraints:
        limits |= _limits(constraint)
    return prop(
        schema.description,
        **default,
        **limits,
        wire=schema.name,
        updatable=not schema.immutable,
        immutable=schema.immutable,
        convert=schema.type in _FROM_TEXT,
        secret=schema.hidden,
        late=True,
    )


_LIMITS: Final[Mapping[type[Constraint], Callable[[Any], dict[str, Any]]]] = {
    Range: lambda c: {"at_least": c.least, "at_most": c.most},
    Length: lambda c: {"shortest": c.least, "longest": c.most},
    Modulo: lambda c: {"step": (c.step, c.offset)},
    AllowedValues: lambda c: {"one_of": c.allowed},
    AllowedPattern: lambda c: {"pattern": c.pattern},
    Custom: lambda c: {"is_a": c.name},
}


def _limits(constraint: Constraint) -> dict[str, Any]:
    return _LIMITS[type(constraint)](constraint)


def _parameter(value: Any) -> Any:
    """Return a property's value as a parameter's: a list of maps becomes ``.member`` items."""
    if not isinstance(value, tuple):
        return thaw(value)
    if not any(isinstance(each, Mapping) for each in value):
        return ["" if each is None else thaw(each) for each in value]
    return [text for i, each in enumerate(value) for text in _member(i, each)]


def _member(i: int, each: Any) -> Iterator[str]:
    if not isinstance(each, Mapping):
        yield "" if each is None else str(each)
        return
    for key, value in each.items():
        yield f".member.{i}.{key}={value}"
