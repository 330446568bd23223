"""The image of a server that a snapshot keeps.

Rule: it carries the physical name of the copy, by which it is found where an answer was lost.
"""

from __future__ import annotations

from contextlib import suppress

from stoker.errors import CloudNotFound
from stoker.resources.nova.server_image import found, is_coming, is_there, make, not_active
from stoker.resources.nova.server_state import is_moving
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.copies import CopyProps
from stoker.sdk.resource import At, Done, Next, Resource, Step


class ImageCopy(Resource[CopyProps]):
    type_name = "an image of OS::Nova::Server"
    since = "1"
    doc = "The image of a server."
    Props = CopyProps
    service = "compute"

    def find(self, at: At[CopyProps], cloud: Cloud) -> Next | None:
        id = found(at.name, cloud)
        return None if id is None else Next(id=id)

    def create(self, at: At[CopyProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self._made(at, cloud)
        server = cloud.compute.get(f"/servers/{at.props.source}")["server"]
        if is_moving(server):
            return poll(at.data)
        if not at.data.get("asked"):
            return Next(id=make(server, at.name, cloud), data={"asked": True})
        id = found(at.name, cloud)  # an old Nova does not tell it
        return poll(at.data) if id is None else Next(id=id, data=at.data)

    def delete(self, at: At[CopyProps], cloud: Cloud) -> Step:
        """Ask for the deletion, then wait for Glance's own 404."""
        if at.id is None:
            return Done()
        with suppress(CloudNotFound):
            cloud.image.get(f"/images/{at.id}")
            cloud.image.remove(f"/images/{at.id}")
            return poll(at.data)
        return Done()

    def _made(self, at: At[CopyProps], cloud: Cloud) -> Step:
        """Wait until the image is there and Nova is through with the server."""
        image = cloud.image.get(f"/images/{at.id}")
        if is_coming(image):
            return poll(at.data)
        if not is_there(image):
            raise not_active(image)
        server = cloud.compute.get(f"/servers/{at.props.source}")["server"]
        return poll(at.data) if is_moving(server) else Done()
