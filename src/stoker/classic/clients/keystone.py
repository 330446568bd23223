"""Keystone's client: python-keystoneclient, version 3."""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.clients.client_plugin import ClientPlugin, imported


class KeystoneClientPlugin(ClientPlugin):
    IDENTITY: ClassVar[str] = "identity"
    service_types: ClassVar[list[str]] = [IDENTITY]

    def _create(self, version: str | None = None) -> Any:
        session = self.context.keystone_session
        return imported("keystoneclient.v3.client", "python-keystoneclient").Client(
            session=session, interface=session.interface, region_name=session.region
        )
