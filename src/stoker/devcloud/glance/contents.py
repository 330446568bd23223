"""An image's bytes: uploaded, staged and imported, downloaded.

Rule: data is given once, to a queued image; with it the image is active, in the same transaction.
A download from the web runs in a thread of its own, and ends in a transaction of its own.
"""

from __future__ import annotations

import hashlib
import threading
import urllib.error
import urllib.request
from typing import Any

from stoker.devcloud import clock
from stoker.devcloud.cloud import Cloud
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.glance.image import IMAGE, own, store, visible
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc

_ONE = "/image/v2/images/{image_id}"
_FETCH_SECONDS = 60


def fill(image: Doc, data: bytes) -> Doc:
    """Give the image made active by its data."""
    return {
        **image,
        "status": "active",
        "size": len(data),
        "checksum": hashlib.md5(data, usedforsecurity=False).hexdigest(),
        "os_hash_algo": "sha512",
        "os_hash_value": hashlib.sha512(data).hexdigest(),
    }


@route("PUT", f"{_ONE}/file")
def upload_image(request: Request) -> None:
    """Give a queued image its data."""
    image = _awaiting(request, "saving")
    request.state.put_blob(image["id"], request.body)
    store(request, fill(image, request.body))


@route("GET", f"{_ONE}/file")
def download_image(request: Request) -> Reply:
    """Give an image's data; 204 while there is none."""
    image = visible(request)
    data = request.state.blob(image["id"]) if image["status"] == "active" else None
    if data is None:
        return Reply(status=204)
    return Reply(data, status=200, headers={"Content-MD5": image["checksum"]})


@route("PUT", f"{_ONE}/stage")
def stage_image(request: Request) -> None:
    """Take data for an image that is to be imported."""
    image = _awaiting(request, "uploading")
    request.state.put_blob(image["id"], request.body)
    store(request, {**image, "status": "uploading", "size": len(request.body)})


@route("POST", f"{_ONE}/import", status=202)
def import_image(request: Request) -> Reply:
    """Make an image active with the data staged, or with what a URL gives."""
    image = own(request)
    method = request.object().get("method")
    if not isinstance(method, dict):
        raise Refusal(400, "'method' must be an object")
    name = method.get("name")
    if name == "glance-direct":
        _import_staged(request, image)
    elif name == "web-download":
        _start_download(request, image, str(method.get("uri", "")))
    else:
        raise Refusal(400, f"Unknown import method name '{name}'.")
    return Reply(b"", status=202)


def _import_staged(request: Request, image: Doc) -> None:
    data = request.state.blob(image["id"])
    if image["status"] != "uploading" or data is None:
        raise Refusal(409, f"Only images with status uploading can be imported: {image['status']}")
    store(request, fill(image, data))


def _start_download(request: Request, image: Doc, uri: str) -> None:
    _refuse_without_format(image)
    if image["status"] != "queued":
        raise Refusal(409, f"Only queued images can be imported: {image['status']}")
    if not uri.startswith(("http://", "https://")):
        raise Refusal(400, f"URI for web-download does not pass filtering: {uri}")
    store(request, {**image, "status": "importing"})
    arguments = (request.cloud, image["id"], uri)
    threading.Thread(target=_download, args=arguments, name="download", daemon=True).start()


def _download(cloud: Cloud, image_id: str, uri: str) -> None:
    data = _fetched(uri)
    with cloud.state.transaction():
        image = cloud.state.get(IMAGE, image_id)
        if image is None or image["status"] != "importing":
            return
        image["updated_at"] = clock.iso(cloud.now())
        if data is None:
            cloud.state.update(IMAGE, {**image, "status": "queued"})
            return
        cloud.state.put_blob(image_id, data)
        cloud.state.update(IMAGE, fill(image, data))


def _fetched(uri: str) -> bytes | None:
    try:
        with urllib.request.urlopen(uri, timeout=_FETCH_SECONDS) as answer:  # noqa: S310 - checked
            return bytes(answer.read())
    except (urllib.error.URLError, OSError, ValueError):
        return None


def _awaiting(request: Request, status: str) -> Doc:
    if request.header("Content-Type") != "application/octet-stream":
        raise Refusal(415, "The content type must be application/octet-stream")
    image = own(request)
    if image["status"] != "queued":
        text = f"Image status transition from {image['status']} to {status} is not allowed"
        raise Refusal(409, text)
    _refuse_without_format(image)
    return image


def _refuse_without_format(image: Doc) -> None:
    for field in ("disk_format", "container_format"):
        if not image[field]:
            raise Refusal(400, f"Property {field} must be set prior to saving data.")


@route("GET", "/image/v2/info/import")
def show_import_methods(_request: Request) -> dict[str, Any]:
    """Give the ways in which data can be imported."""
    methods = {"description": "Import methods available.", "type": "array"}
    return {"import-methods": {**methods, "value": ["glance-direct", "web-download"]}}
