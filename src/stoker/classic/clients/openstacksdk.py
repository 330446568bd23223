"""openstacksdk's connection."""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.clients.client_plugin import ClientPlugin


class OpenStackSDKPlugin(ClientPlugin):
    NETWORK: ClassVar[str] = "network"
    service_types: ClassVar[list[str]] = [NETWORK]

    def _create(self, version: str | None = None) -> Any:
        return self.context.keystone_session.sdk_connection()
