"""Glance's version documents and JSON schemas.

Rule: what a schema says is what ``image.check`` enforces: both read the same table.
"""

from __future__ import annotations

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.glance.image import READ_ONLY, SETTABLE
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import elsewhere, route
from stoker.devcloud.state import Doc

_MINORS = range(16, -1, -1)


def _versions(request: Request) -> Doc:
    link = {"rel": "self", "href": f"{request.cloud.url}/image/v2/"}
    return {
        "versions": [
            {
                "id": f"v2.{minor}",
                "status": "CURRENT" if minor == _MINORS[0] else "SUPPORTED",
                "links": [link],
            }
            for minor in _MINORS
        ]
    }


@route("GET", "/image", public=True)
def choose_version(request: Request) -> Reply:
    """Give the versions, as a 300."""
    return Reply(_versions(request), status=300)


@route("GET", "/image/versions", public=True)
def list_versions(request: Request) -> Doc:
    """Give the versions."""
    return _versions(request)


@elsewhere("image", "v2")
def choose_version_elsewhere(request: Request) -> Reply:
    """Give the versions to whoever names none."""
    return choose_version(request)


@route("GET", "/image/v2")
def show_image_version(request: Request) -> Reply:
    """Send the caller behind the slash, where nothing is."""
    if request.path.endswith("/"):
        raise Refusal(404, "The resource could not be found.")
    return Reply("", status=302, headers={"Location": f"{request.cloud.url}/image/v2/"})


def _image_schema() -> Doc:
    properties: Doc = {"id": {"type": "string", "pattern": "^[0-9a-fA-F-]{36}$"}, **SETTABLE}
    for name, rule in READ_ONLY.items():
        properties[name] = {**rule, "readOnly": True}
    links = [{"rel": "self", "href": "{self}"}, {"rel": "enclosure", "href": "{file}"}]
    return {
        "name": "image",
        "properties": properties,
        "additionalProperties": {"type": "string"},
        "links": links,
    }


@route("GET", "/image/v2/schemas/image")
def show_image_schema(_request: Request) -> Doc:
    """Give the schema of an image."""
    return _image_schema()


@route("GET", "/image/v2/schemas/images")
def show_images_schema(_request: Request) -> Doc:
    """Give the schema of a list of images."""
    text = {"type": "string"}
    images = {"type": "array", "items": _image_schema()}
    return {
        "name": "images",
        "properties": {"images": images, "first": text, "next": text, "schema": text},
        "links": [{"rel": "first", "href": "{first}"}, {"rel": "next", "href": "{next}"}],
    }
