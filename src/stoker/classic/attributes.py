"""What ``get_attr`` can read of a resource, as plugins declare it."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from stoker.classic.support import SupportStatus
from stoker.sdk.schema import SUPPORTED, Attr


class Schema:
    """One attribute. ``cache_mode`` is accepted and means nothing: all are read once."""

    CACHE_MODES: ClassVar[tuple[str, ...]] = ("cache_local", "cache_none")
    CACHE_LOCAL, CACHE_NONE = CACHE_MODES
    TYPES: ClassVar[tuple[str, ...]] = ("String", "Map", "List", "Integer", "Boolean")
    STRING, MAP, LIST, INTEGER, BOOLEAN = TYPES

    def __init__(
        self,
        description: str | None = None,
        cache_mode: str = CACHE_LOCAL,
        support_status: SupportStatus | None = None,
        type: str | None = None,
    ) -> None:
        self.description, self.cache_mode, self.type = description, cache_mode, type
        self.support_status = support_status or SupportStatus()

    def declared(self) -> Attr:
        """Return it as the sdk declares it."""
        support = self.support_status
        stated = support.stated() if support.status != "SUPPORTED" else SUPPORTED
        return Attr(self.description or "", self.type and self.type.lower(), stated)


SHOW_ATTR: Final = "show"


def declared(cls: type[Any]) -> dict[str, Attr]:
    """Return the attributes of a plugin's class.

    A class that only lists names, as ``ATTRIBUTES``, means them too: the listing in the
    documentation of the plugin interface does that.
    """
    schema: dict[str, Schema] = dict(cls.attributes_schema)
    if not schema:
        schema = {name: Schema() for name in getattr(cls, "ATTRIBUTES", ())}
    return {name: each.declared() for name, each in schema.items()}
