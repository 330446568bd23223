"""What this installation knows: resource types, template versions and their functions.

All of it is read off the declarations, so that what is shown is what is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.usecases import generated
from stoker.errors import NotFound, bad_request
from stoker.lang.functions.registry import condition_functions, functions_at, value_functions
from stoker.lang.pattern import full_match
from stoker.lang.versions import ALIASES, CFN, HOT
from stoker.usecases.stacks import TypeView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.lang.functions.registry import Function
    from stoker.sdk.resource import Resource, Types
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import Json, TypeQuery

SUPPORT = ("UNKNOWN", "SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")
_KEY = "heat_template_version"


class TypeCatalog:
    """``usecases.stacks.Catalog`` over the index of types and the template language."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def types(self, caller: Caller, query: TypeQuery) -> list[TypeView]:
        """Return the types that the query asks for, sorted by name; hidden ones never."""
        return [
            TypeView(kind.type_name, kind.doc)
            for kind in self._chosen(query)
            if kind.support_status != "HIDDEN"
        ]

    def type_schema(self, caller: Caller, name: str) -> Json:
        """Return properties and attributes of a type; raises NotFound, Invalid if hidden."""
        kind = self._shown(name)
        return {
            "resource_type": kind.type_name,
            "properties": kind.Props.schema(),
            "attributes": {
                each: attribute.schema() for each, attribute in generated.attributes(kind).items()
            },
            "support_status": {
                "status": kind.support_status,
                "message": None,
                "version": kind.since,
                "previous_status": None,
            },
            "description": kind.doc,
        }

    def type_template(self, caller: Caller, name: str, form: str) -> Json:
        """Return a template that exposes all of a type; ``form`` is "hot" or "cfn"."""
        kind = self._shown(name)
        return generated.hot(kind) if form == "hot" else generated.cfn(kind)

    def template_versions(self) -> list[Json]:
        """Return the template versions that can be read, by name."""
        names = {version: name for name, version in ALIASES.items()}
        hot = [
            {
                "version": f"{_KEY}.{version}",
                "type": "hot",
                "aliases": [f"{_KEY}.{names[version]}"] if version in names else [],
            }
            for version in HOT
        ]
        return [*({"version": each, "type": "cfn", "aliases": []} for each in CFN), *hot]

    def functions(self, version: str, *, with_conditions: bool) -> list[Json]:
        """Return the functions of a version, written as :meth:`template_versions` does."""
        date = version.removeprefix(f"{_KEY}.")
        date = ALIASES.get(date, date)
        if date not in (*HOT, *CFN):
            raise NotFound("Template Version", version)
        names = value_functions(date)
        if with_conditions:
            names |= condition_functions(date)
        known = functions_at(date)
        return [{"functions": name, "description": _told(known[name])} for name in sorted(names)]

    def _chosen(self, query: TypeQuery) -> Iterator[Resource[Any]]:
        if query.support_status is not None and query.support_status not in SUPPORT:
            raise bad_request(
                f"support_status must be one of {', '.join(SUPPORT)}", ("support_status",)
            )
        for name in sorted(self._types.names()):
            if query.name is not None and not _begins(name, query.name):
                continue
            kind = self._types.get(name)
            if kind is None or query.support_status not in (None, kind.support_status):
                continue
            if query.version in (None, kind.since):
                yield kind

    def _shown(self, name: str) -> Resource[Any]:
        kind = self._types.get(name)
        if kind is None:
            raise NotFound("Resource Type", name)
        if kind.support_status == "HIDDEN":
            text = f"The resource type {name} is hidden: it cannot be used any more."
            raise bad_request(text)
        return kind


def _begins(name: str, pattern: str) -> bool:
    """Tell whether a type's name begins with a match, in time that no pattern can stretch."""
    try:
        return full_match(f"(?:{pattern}).*", name)
    except ValueError as error:
        text = f"{pattern!r} cannot be used as a pattern: {error}"
        raise bad_request(text, ("name",)) from None


def _told(function: Function) -> str:
    """Return the first line of what the function's author wrote about it, or its form."""
    doc = function.impl.__doc__
    return doc.strip().partition("\n")[0] if doc else function.form
