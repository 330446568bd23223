"""Attributes of Neutron's collections: what may be given, by whom, and what it defaults to.

The rule: a request body passes ``for_create`` or ``for_update`` before anything else looks at it;
behind them every value has its stored form.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.convert import Malformed, anything

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

REQUIRED = object()
UNSET = object()


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    ``default`` may be REQUIRED, or UNSET where the collection's own code decides. ``post`` is
    false for what cannot be given at first, ``put`` for what cannot change; ``admin`` is true for
    what only an administrator may set, ``service`` for what only Nova may; ``admin_keys`` are the
    keys of an object that only an administrator may give, whatever their values.
    """

    read: Callable[[Any], Any] = anything
    default: Any = UNSET
    post: bool = True
    put: bool = True
    admin: bool = False
    service: bool = False
    admin_keys: tuple[str, ...] = ()


def for_create(
    singular: str, attributes: Mapping[str, Attribute], body: Mapping[str, Any], *, is_admin: bool
) -> dict[str, Any]:
    """Read the body of a POST into stored values, defaults filled in."""
    _refuse_unknown(attributes, body)
    for name in body:
        if not attributes[name].post:
            raise problem.bad_request(f"Attribute '{name}' not allowed in POST")
    for name, attribute in attributes.items():
        if attribute.default is REQUIRED and name not in body:
            raise problem.bad_request(
                f"Failed to parse request. Required attribute '{name}' not specified"
            )
    values = {
        name: _fresh(attribute.default)
        for name, attribute in attributes.items()
        if attribute.default is not UNSET and attribute.default is not REQUIRED
    }
    values |= _read(attributes, body)
    _refuse_privileged(f"create_{singular}", attributes, body, is_admin=is_admin)
    return values


def for_update(
    singular: str, attributes: Mapping[str, Attribute], body: Mapping[str, Any], *, is_admin: bool
) -> dict[str, Any]:
    """Read the body of a PUT into stored values: only what was given."""
    _refuse_unknown(attributes, body)
    for name in body:
        if not attributes[name].put:
            raise problem.bad_request(f"Cannot update read-only attribute {name}")
    values = _read(attributes, body)
    _refuse_privileged(f"update_{singular}", attributes, body, is_admin=is_admin)
    return values


def _fresh(default: Any) -> Any:
    """Give a default of one's own; the markers among them are known by identity."""
    return copy.copy(default) if isinstance(default, list | dict) else default


def _refuse_unknown(attributes: Mapping[str, Attribute], body: Mapping[str, Any]) -> None:
    unknown = [name for name in body if name not in attributes]
    if unknown:
        raise problem.bad_request(f"Unrecognized attribute(s) '{', '.join(sorted(unknown))}'")


def _refuse_privileged(
    rule: str, attributes: Mapping[str, Attribute], body: Mapping[str, Any], *, is_admin: bool
) -> None:
    """Refuse what the caller may not set; a value that equals the default asks for nothing."""
    for name, value in body.items():
        attribute = attributes[name]
        is_refused = attribute.service or (attribute.admin and not is_admin)
        if is_refused and value is not None and value != attribute.default:
            raise problem.not_authorized(f"(rule:{rule} and rule:{rule}:{name})")
        given = [key for key in attribute.admin_keys if isinstance(value, dict) and key in value]
        if given and not is_admin:
            part = " and ".join(f"rule:{rule}:{name}:{key}" for key in ("network_id", *given))
            raise problem.not_authorized(f"(rule:{rule} and (rule:{rule}:{name} and ({part})))")


def _read(attributes: Mapping[str, Attribute], body: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in body.items():
        try:
            values[name] = attributes[name].read(value)
        except Malformed as reason:
            raise problem.bad_request(f"Invalid input for {name}. Reason: {reason}.") from None
    return values
