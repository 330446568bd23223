"""The clients of OpenStack's services that plugins call with, by Heat's names for them.

Rule: a client's package is imported when a plugin first asks for it; each is made on the
step's own session, so that every call passes the guard.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final

from stoker.classic.clients.client_plugin import ClientPlugin, Context
from stoker.classic.exception import ClientNotAvailable

__all__ = ["ClientPlugin", "Clients", "has_client"]

GROUP: Final = "heat.clients"
BUILT_IN: Final[Mapping[str, str]] = {
    "glance": "glance:GlanceClientPlugin",
    "keystone": "keystone:KeystoneClientPlugin",
    "neutron": "neutron:NeutronClientPlugin",
    "nova": "nova:NovaClientPlugin",
    "openstack": "openstacksdk:OpenStackSDKPlugin",
}


class Clients:
    """The client plugins of one step; each is made once."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._made: dict[str, ClientPlugin] = {}

    def client_plugin(self, name: str) -> ClientPlugin:
        """Return a client plugin; raises ClientNotAvailable."""
        if name not in self._made:
            self._made[name] = _class(name)(self.context)
        return self._made[name]

    def client(self, name: str, version: str | None = None) -> Any:
        """Return the client itself."""
        return self.client_plugin(name).client(version)


def has_client(name: str) -> bool:
    """Tell whether there is a client of this name."""
    return name in BUILT_IN or any(each.name == name for each in entry_points(group=GROUP))


@cache
def _class(name: str) -> type[ClientPlugin]:
    for each in entry_points(group=GROUP):  # an installed one goes before ours
        if each.name == name and not each.value.startswith("heat.engine.clients."):
            found: type[ClientPlugin] = each.load()
            return found
    if name not in BUILT_IN:
        raise ClientNotAvailable(client_name=name)
    module, _, kind = BUILT_IN[name].partition(":")
    made: type[ClientPlugin] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    return made
