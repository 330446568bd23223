"""Glance's client: python-glanceclient."""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.clients.client_plugin import ClientPlugin, imported
from stoker.classic.exception import EntityNotFound, PhysicalResourceNameAmbiguity


class GlanceClientPlugin(ClientPlugin):
    IMAGE: ClassVar[str] = "image"
    service_types: ClassVar[list[str]] = [IMAGE]
    default_version = "2"

    def _create(self, version: str | None = None) -> Any:
        session = self.context.keystone_session
        return imported("glanceclient.client", "python-glanceclient").Client(
            version or self.default_version,
            session=session,
            interface=session.interface,
            service_type=self.IMAGE,
            region_name=session.region,
        )

    def get_image(self, image_id: str) -> Any:
        return self.client().images.get(image_id)

    def find_image_by_name_or_id(self, image: str) -> str:
        """Return the id of what has this id, else of what alone has this name."""
        with self.ignore_not_found:
            return str(self.get_image(image).id)
        found = list(self.client().images.list(filters={"name": image}))
        if not found:
            raise EntityNotFound(entity="Image", name=image)
        if len(found) > 1:
            raise PhysicalResourceNameAmbiguity(name=image)
        return str(found[0].id)
