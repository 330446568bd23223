"""The calls of ``/v2/images``: list, show, create, change, delete, tags.

Rule: changes go by JSON patch, one operation at a time, and nothing is kept unless all fit.
"""

from __future__ import annotations

from typing import Any

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.glance import search
from stoker.devcloud.glance.image import (
    IMAGE,
    READ_ONLY,
    SETTABLE,
    bury,
    check,
    fresh,
    own,
    shown,
    store,
    visible,
    was_used,
)
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc

_ALL = "/image/v2/images"
_ONE = f"{_ALL}/{{image_id}}"


@route("GET", _ALL)
def list_images(request: Request) -> Doc:
    """Give a page of the images that the caller sees."""
    asked = f"?{request.query_string}" if request.query_string else ""
    found, rest = search.page(request, search.chosen(request, request.state.list(IMAGE)))
    answer: Doc = {
        "images": [shown(image) for image in found],
        "first": f"/v2/images{asked}",
        "schema": "/v2/schemas/images",
    }
    return {**answer, "next": f"/v2/images?{rest}"} if rest else answer


@route("GET", _ONE)
def show_image(request: Request) -> Doc:
    """Give one image."""
    return shown(visible(request))


@route("POST", _ALL)
def create_image(request: Request) -> Reply:
    """Make an image without data; the id may be the caller's choice, if it never was used."""
    image = fresh(request, request.object())
    if was_used(request.state, image["id"]):
        raise Refusal(409, f"Image ID {image['id']} already exists!")
    request.state.insert(IMAGE, image)
    location = f"{request.cloud.url}/image/v2/images/{image['id']}"
    headers = {"Location": location, "OpenStack-image-import-methods": "glance-direct,web-download"}
    return Reply(shown(image), status=201, headers=headers)


@route("PATCH", _ONE)
def update_image(request: Request) -> Doc:
    """Change an image by a JSON patch."""
    if "json-patch" not in request.header("Content-Type"):
        raise Refusal(415, "The content type must be application/openstack-images-v2.1-json-patch")
    image = own(request)
    changes = request.json()
    if not isinstance(changes, list):
        raise Refusal(400, "The body must be a JSON array of operation objects.")
    for change in changes:
        _apply(request, image, change)
    return shown(store(request, image))


def _apply(request: Request, image: Doc, change: Any) -> None:
    if not isinstance(change, dict):
        raise Refusal(400, "An operation must be a JSON object.")
    operation, path = change.get("op"), str(change.get("path", ""))
    name = path.removeprefix("/").replace("~1", "/").replace("~0", "~")
    if not path.startswith("/") or operation not in ("add", "replace", "remove"):
        raise Refusal(400, f"Operation {operation} on {path} is not possible.")
    if operation == "remove":
        _remove(image, name)
    else:
        _put(request, image, change, name)


def _remove(image: Doc, name: str) -> None:
    if name in SETTABLE or name in READ_ONLY or name == "id":
        raise Refusal(403, f"Property {name} may not be removed.")
    if name not in image:
        raise Refusal(409, f"Property {name} does not exist.")
    del image[name]


def _put(request: Request, image: Doc, change: Doc, name: str) -> None:
    if "value" not in change:
        raise Refusal(400, f"Operation {change['op']} requires a 'value'.")
    if name == "id":
        raise Refusal(403, "Attribute 'id' is read-only.")
    if change["op"] == "replace" and name not in image:
        raise Refusal(409, f"Property {name} does not exist.")
    check(request, name, change["value"])
    if name in ("disk_format", "container_format") and image["status"] != "queued":
        raise Refusal(403, f"Attribute {name} can be only replaced for a queued image.")
    image[name] = sorted(set(change["value"])) if name == "tags" else change["value"]


@route("DELETE", _ONE)
def delete_image(request: Request) -> None:
    """Delete an image that is not protected."""
    image = own(request)
    if image["protected"]:
        raise Refusal(403, f"Image {image['id']} is protected and cannot be deleted.")
    bury(request.state, image["id"])


@route("POST", f"{_ONE}/actions/deactivate")
def deactivate_image(request: Request) -> None:
    """Have nobody download an image any more."""
    _switch(request, "active", "deactivated")


@route("POST", f"{_ONE}/actions/reactivate")
def reactivate_image(request: Request) -> None:
    """Undo a deactivation."""
    _switch(request, "deactivated", "active")


def _switch(request: Request, old: str, new: str) -> None:
    image = own(request)
    if image["status"] not in (old, new):
        text = f"Image status transition from {image['status']} to {new} is not allowed"
        raise Refusal(403, text)
    store(request, {**image, "status": new})


@route("PUT", f"{_ONE}/tags/{{tag}}")
def add_image_tag(request: Request) -> None:
    """Put a tag on an image."""
    image = own(request)
    image["tags"] = sorted({*image["tags"], request.params["tag"]})
    store(request, image)


@route("DELETE", f"{_ONE}/tags/{{tag}}")
def remove_image_tag(request: Request) -> None:
    """Take a tag off an image."""
    image = own(request)
    if request.params["tag"] not in image["tags"]:
        raise Refusal(404, f"Could not find tag {request.params['tag']}.")
    image["tags"].remove(request.params["tag"])
    store(request, image)
