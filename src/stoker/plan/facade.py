"""A template that stands in for a type must serve where the type serves.

Rule: a template that was written for the type it replaces (its facade) finds every property
that it must give and every attribute that it may ask for; the texts are those that clients know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stoker.lang.environment import Environment
    from stoker.sdk.resource import Resource, Types

_NUMBERS: Final = frozenset({"integer", "number"})


def facade(
    type_name: str,
    resource_name: str,
    environment: Environment,
    types: Types,
    files: Mapping[str, str],
) -> Resource[Any] | None:
    """Return what the type would be without its best mapping; None where that says nothing.

    Raises Invalid where that is a template that cannot be read.
    """
    others = environment.candidates(type_name, resource_name)[1:]
    for each in (*others, type_name):
        if each in files:
            return types.from_template(type_name, files[each])
        if found := types.get(each):
            return None if found.open_attributes else found
    return None


def faults(type_name: str, wanted: Resource[Any], provider: Resource[Any]) -> Iterator[str]:
    """Give what keeps ``provider`` from standing in for ``wanted``."""
    asked, offered = wanted.Props.schema(), provider.Props.schema()
    for name, each in asked.items():
        if not each["required"]:
            continue
        if name not in offered:
            yield f"Required property {name} for facade {type_name} missing in provider"
        elif not _is_fit(each["type"], offered[name]["type"]):
            yield f"Property {name} type mismatch between facade {type_name} and provider"
    for name, each in offered.items():
        if each["required"] and name not in asked:
            yield f"Provider requires property {name} unknown in facade {type_name}"
    for name in wanted.attributes:
        if name not in provider.attributes:
            yield f"Attribute {name} for facade {type_name} missing in provider"


def _is_fit(wanted: str, offered: str) -> bool:
    """Tell whether a value of the one type can be given as the other."""
    return "any" in (wanted, offered) or {wanted, offered} <= _NUMBERS or wanted == offered
