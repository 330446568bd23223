"""An image's bytes: uploaded, staged, downloaded.

Rule: data is given once, to a queued image; with it the image is active, in the same transaction.
"""

from __future__ import annotations

import hashlib

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.glance.image import own, store, visible
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc

_ONE = "/image/v2/images/{image_id}"


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


def begin_upload(request: Request) -> None:
    """Have a queued image wait for the data that are on their way."""
    image = _awaiting(request, "saving")
    store(request, {**image, "status": "saving"})


@route("PUT", f"{_ONE}/file", begin=begin_upload)
def upload_image(request: Request) -> Reply:
    """Give an image the data that it was waiting for; without their end it is queued again."""
    image = own(request)
    if request.is_cut_off:
        store(request, {**image, "status": "queued"})
        return Reply(status=400)  # to nobody; a refusal would take the status back
    request.state.put_blob(image["id"], request.body)
    store(request, fill(image, request.body))
    return Reply(status=204)


@route("GET", f"{_ONE}/file")
def download_image(request: Request) -> Reply:
    """Give an image's data; 204 while there is none."""
    image = visible(request)
    if image["status"] == "deactivated":
        raise Refusal(
            403, "The requested image has been deactivated. Image data download is forbidden."
        )
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
    lacking = [name for name in ("disk_format", "container_format") if not image[name]]
    if lacking:
        names = ", ".join(lacking)
        word = "Properties" if len(lacking) > 1 else "Property"
        raise Refusal(400, f"{word} {names} must be set prior to saving data.")
