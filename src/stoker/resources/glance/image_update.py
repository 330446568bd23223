"""Changes of an image in place, one call a step.

Rule: what is still due is read from the image and its members.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

from stoker.errors import CloudNotFound
from stoker.resources.glance.image_props import WebImageProps
from stoker.resources.nova.server_body import metadata_text
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next
from stoker.sdk.value import thaw

FIELDS: Final = (
    "protected",
    "tags",
    "architecture",
    "kernel_id",
    "os_distro",
    "os_version",
    "owner",
    "visibility",
    "ramdisk_id",
)
"""What is set at the beginning and can be changed."""

_OWN: Final = frozenset({"protected", "tags", "owner", "visibility"})
"""Those among them that every image has, so that they cannot be taken away."""


def due(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Next | None:
    """Make the next call that the image needs; None when it is as wanted."""
    patch = _patch(at, image)
    if patch:
        cloud.image.patch(_path(at), patch)
        return Next(data=at.data)
    return _members(at, image, cloud) or _active(at, image, cloud)


def extra_text(props: WebImageProps) -> dict[str, str]:
    """Return the further properties as Glance takes them: texts."""
    return metadata_text(props.extra_properties)


def _patch(at: At[WebImageProps], image: Mapping[str, Any]) -> list[dict[str, Any]]:
    wanted = _wanted(at)
    removes = [
        {"op": "remove", "path": _pointer(name)}
        for name, value in sorted(wanted.items())
        if value is None and name in image and name not in _OWN
    ]
    return removes + [
        {"op": "replace" if name in image else "add", "path": _pointer(name), "value": value}
        for name, value in sorted(wanted.items())
        if value is not None and _plain(image.get(name)) != _plain(value)
    ]


def _wanted(at: At[WebImageProps]) -> dict[str, Any]:
    """Return what changed, under its names in the image; None is what is to go."""
    wanted: dict[str, Any] = {
        name: thaw(getattr(at.props, name)) for name in FIELDS if name in at.changed
    }
    if "tags" in wanted:
        wanted["tags"] = wanted["tags"] or []
    if "extra_properties" in at.changed:
        before = at.old.extra_properties if at.old is not None else {}
        wanted |= {**dict.fromkeys(before), **extra_text(at.props)}
    return wanted


def _plain(value: Any) -> Any:
    return sorted(set(map(str, value))) if isinstance(value, list) else value


def _members(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Next | None:
    if at.props.members is None and "members" not in at.changed:
        return None
    if image["visibility"] != "shared":
        return None
    live = {row["member_id"] for row in cloud.image.get(f"{_path(at)}/members")["members"]}
    wanted = set(at.props.members or ())
    before = set(at.old.members or ()) if at.old is not None else set()
    for member in sorted(wanted - live):
        cloud.image.post(f"{_path(at)}/members", {"member": member})
        return Next(data=at.data)
    for member in sorted((before - wanted) & live):
        with suppress(CloudNotFound):
            cloud.image.remove(f"{_path(at)}/members/{quote(member, safe='')}")
        return Next(data=at.data)
    return None


def _active(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Next | None:
    if at.props.active == (image["status"] != "deactivated"):
        return None
    action = "reactivate" if at.props.active else "deactivate"
    cloud.image.post(f"{_path(at)}/actions/{action}", {})
    return Next(data=at.data)


def _pointer(name: str) -> str:
    """Return a property's name as a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _path(at: At[WebImageProps]) -> str:
    return f"/images/{at.owned}"
