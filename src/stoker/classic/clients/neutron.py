"""Neutron's client: python-neutronclient."""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.clients.client_plugin import ClientPlugin, imported
from stoker.classic.exception import EntityNotFound, PhysicalResourceNameAmbiguity


class NeutronClientPlugin(ClientPlugin):
    NETWORK: ClassVar[str] = "network"
    service_types: ClassVar[list[str]] = [NETWORK]

    def _create(self, version: str | None = None) -> Any:
        session = self.context.keystone_session
        return imported("neutronclient.v2_0.client", "python-neutronclient").Client(
            session=session,
            endpoint_type=session.interface,
            service_type=self.NETWORK,
            region_name=session.region,
        )

    def find_resourceid_by_name_or_id(
        self, resource: str, name_or_id: str, cmd_resource: str | None = None
    ) -> str:
        """Return the id of what has this id, else of what alone has this name."""
        found = self._listed(resource, id=name_or_id) or self._listed(resource, name=name_or_id)
        if not found:
            raise EntityNotFound(entity=resource, name=name_or_id)
        if len(found) > 1:
            raise PhysicalResourceNameAmbiguity(name=name_or_id)
        return str(found[0]["id"])

    def _listed(self, resource: str, **filters: str) -> list[dict[str, Any]]:
        plural = f"{resource[:-1]}ies" if resource.endswith("cy") else f"{resource}s"
        listed: list[dict[str, Any]] = self.client().list(plural, f"/{plural}", **filters)[plural]
        return listed
