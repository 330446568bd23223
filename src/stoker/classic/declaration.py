"""From a plugin's ``properties_schema`` to the class of properties that the engine works with.

Rule: pure; what a schema cannot mean here is told when the plugin is loaded, never later.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from types import CodeType, GenericAlias
from typing import Any, Final

from stoker.classic.exception import InvalidSchemaError
from stoker.classic.schema import Schema
from stoker.lang.pattern import compiled
from stoker.sdk.schema import Limits, Props, make_props, prop

_PLAIN: Final[Mapping[str, Any]] = {
    Schema.STRING: str,
    Schema.INTEGER: int,
    Schema.NUMBER: float,
    Schema.BOOLEAN: bool,
    Schema.ANY: Any,
}


def made(
    name: str, schema: Mapping[str, Schema], updatable: frozenset[str] = frozenset()
) -> type[Props]:
    """Return the class of properties that a schema declares; ``updatable`` names more that
    can be changed in place. Raises InvalidSchemaError."""
    fields: dict[str, tuple[Any, Any]] = {}
    for wire, each in schema.items():
        hint = _hint(f"{name}_{wire}", wire, each)
        field = field_name(wire)
        while field in fields:
            field += "_"
        fields[field] = (hint, _declared(wire, each, wire in updatable))
    return make_props(name, fields, module=__name__)


def field_name(wire: str) -> str:
    """Return the field that stands for a property: its name, where Python allows that."""
    name = "".join(char if char.isalnum() else "_" for char in wire).lstrip("_") or "p"
    if not name.isidentifier():
        name = f"p_{name}"
    return f"{name}_" if keyword.iskeyword(name) or hasattr(Props, name) else name


def changeable(cls: type[Any], default_update: object) -> frozenset[str]:
    """Return the properties that a class changes in place, though its schema says of none.

    ``update_allowed_properties`` is the old way to say so. A class with a ``handle_update``
    and no word about what it may be given means what that method names, as the listing in
    the documentation of the plugin interface does.
    """
    said = frozenset(getattr(cls, "update_allowed_properties", None) or ())
    schema: Mapping[str, Schema] = cls.properties_schema
    if said or any(each.update_allowed for each in schema.values()):
        return said
    if cls.handle_update is default_update:
        return frozenset()
    return frozenset(_named(cls, cls.handle_update.__code__)) & frozenset(schema)


def _named(cls: type[Any], code: CodeType) -> Iterator[str]:
    """Yield the texts that a method names, itself or by attributes of its class."""
    for name in code.co_names:
        value = getattr(cls, name, None)
        if isinstance(value, str):
            yield value
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _named(cls, value)
        elif isinstance(value, str):
            yield value


def _hint(name: str, wire: str, each: Schema) -> Any:
    if each.type == Schema.LIST:
        return GenericAlias(tuple, (_item(name, wire, each.schema), ...))
    if each.type == Schema.MAP:
        return made(name, each.schema) if each.schema else Mapping[str, Any]
    if each.type not in _PLAIN:
        raise _wrong(wire, f"{each.type!r} is no type")
    return _PLAIN[each.type]


def _item(name: str, wire: str, item: Schema | None) -> Any:
    return Any if item is None else _hint(name, wire, item)


def _declared(wire: str, each: Schema, is_updatable: bool) -> Any:  # noqa: FBT001 - asked here alone
    options: dict[str, Any] = {
        "wire": wire,
        "updatable": each.update_allowed or is_updatable,
        "immutable": each.immutable,
        "convert": each.allow_conversion,
        "support": each.support_status.stated(),
        "limits": _limits(wire, each),
    }
    if isinstance(each.schema, Schema):
        options["each"] = _limits(wire, each.schema)
    if not (each.required and each.default is None):
        options["default"] = each.default
    return prop(each.description or "", **options)


def _limits(wire: str, each: Schema) -> Limits:
    given: dict[str, Any] = {}
    for constraint in each.constraints:
        more = constraint.limits()
        if twice := given.keys() & more.keys():
            raise _wrong(wire, f"two constraints of one kind: {', '.join(sorted(twice))}")
        given |= more
    limits = Limits(**given)
    if limits.pattern is not None:
        _check_pattern(wire, limits.pattern)
    return limits


def _check_pattern(wire: str, pattern: str) -> None:
    try:
        compiled(pattern)
    except ValueError as e:
        raise _wrong(wire, f"the pattern {pattern!r} cannot be used: {e}") from e


def _wrong(wire: str, text: str) -> InvalidSchemaError:
    return InvalidSchemaError(message=f"property {wire}: {text}")
