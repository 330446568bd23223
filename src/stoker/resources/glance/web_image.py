"""OS::Glance::WebImage: an image that Glance fetches from the web.

Rule: its id is our choice, and so its mark; Glance never gives an id twice. Where the user
chose the id, nothing is made before no image had it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.chosen_id import chosen_id
from stoker.resources.glance import image_update
from stoker.resources.glance.image_import import import_step
from stoker.resources.glance.image_props import WebImageProps
from stoker.resources.glance.image_update import FIELDS
from stoker.resources.relation import absent, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import attrs
from stoker.sdk.value import is_open, is_unknown, thaw

_AT_CREATE: Final = (*FIELDS, "min_disk", "min_ram", "disk_format", "container_format")


class WebImage(Resource[WebImageProps]):
    type_name = "OS::Glance::WebImage"
    since = "12.0.0"
    doc = "An image that is fetched from the web."
    Props = WebImageProps
    service = "image"
    attributes = attrs()

    def validate(self, props: WebImageProps) -> Iterable[Problem]:
        known = not is_unknown(props.members) and not is_unknown(props.visibility)
        if known and props.members and props.visibility != "shared":
            text = f"only a shared image has members, not a {props.visibility} one"
            yield Problem(text, ("members",), None, Kind.PROPERTY)
        if is_open(props.extra_properties):
            return
        for name in sorted(props.extra_properties.keys() & set(WebImageProps.properties())):
            text = f"use the property {name} itself"
            yield Problem(text, ("extra_properties", name), None, Kind.PROPERTY)

    def exclusive(self, props: WebImageProps) -> frozenset[object]:
        free = props.id is None or is_unknown(props.id)
        return frozenset() if free else frozenset({("image", props.id)})

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[WebImageProps], cloud: Cloud) -> Next | None:
        if at.props.id is not None and not was_absent(at):
            return None
        return Next(id=_id(at), data=at.data) if _shown(_id(at), cloud) is not None else None

    def create(self, at: At[WebImageProps], cloud: Cloud) -> Step:
        if at.id is not None:
            image: Mapping[str, Any] = cloud.image.get(f"/images/{at.id}")
            return import_step(at, image, cloud) or _converged(at, image, cloud)
        if at.props.id is not None and not was_absent(at):
            if _shown(at.props.id, cloud) is not None:
                raise taken(f"there is an image with the id {at.props.id} already", "id")
            return absent()
        return Next(id=cloud.image.post("/images", _body(at))["id"])

    def update(self, at: At[WebImageProps], cloud: Cloud) -> Step:
        return _converged(at, cloud.image.get(f"/images/{at.owned}"), cloud)

    def adopt(self, at: At[WebImageProps], cloud: Cloud) -> Step:
        return Done(cloud.image.get(f"/images/{at.owned}"))

    def delete(self, at: At[WebImageProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.image.remove(f"/images/{at.id}")
        return Done()


def _converged(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Step:
    return image_update.due(at, image, cloud) or Done(image)


def _id(at: At[WebImageProps]) -> str:
    return at.props.id or chosen_id(at.mark)


def _shown(id: str, cloud: Cloud) -> Mapping[str, Any] | None:
    try:
        return cloud.image.get(f"/images/{id}")
    except CloudNotFound:
        return None


def _body(at: At[WebImageProps]) -> dict[str, Any]:
    values = {name: thaw(getattr(at.props, name)) for name in _AT_CREATE}
    given = {name: value for name, value in values.items() if value is not None}
    extra = image_update.extra_text(at.props)
    return {**extra, **given, "name": at.props.name or at.name, "id": _id(at)}
