"""A volume copied into an image of Glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import problem, progress, volume
from stoker.devcloud.cinder.ask import Ask, read_flag, read_name, read_text
from stoker.devcloud.cinder.volume_action import action
from stoker.devcloud.glance import contents, image

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_VISIBLE = 1


def declare() -> None:
    """Say that this module's action is in the table: it is, once it is imported."""


@action("os-volume_upload_image")
def upload(ask: Ask, doc: Doc, body: Doc) -> Doc:
    """Make an image of a volume; one in use must be forced."""
    is_forced = read_flag(body, "force")
    allowed = ("available", "in-use") if is_forced else ("available",)
    if doc["status"] not in allowed:
        raise problem.invalid(
            "volume",
            f"Volume status must be {' or '.join(allowed)}, but current status is:"
            f" {doc['status']}.",
        )
    made = _image(ask, doc, body)
    then = {"status": doc["status"]}
    progress.begin(ask.cloud, volume.KIND, doc, "uploading", "upload", then)
    told = {
        "id": doc["id"],
        "updated_at": doc["updated_at"],
        "status": "uploading",
        "display_description": doc["description"],
        "size": doc["size"],
        "volume_type": volume.type_of(ask.state, doc)["name"],
        "image_id": made["id"],
        "image_name": made["name"],
    }
    shown = ["container_format", "disk_format"]
    shown += ["visibility", "protected"] if ask.since(_VISIBLE) else []
    return {"os-volume_upload_image": {**told, **{name: made[name] for name in shown}}}


def _image(ask: Ask, doc: Doc, body: Doc) -> Doc:
    wanted: Doc = {
        "name": read_name(body, "image_name"),
        "disk_format": read_text(body, "disk_format") or "raw",
        "container_format": read_text(body, "container_format") or "bare",
        "visibility": (read_text(body, "visibility") if ask.since(_VISIBLE) else None) or "private",
        "protected": read_flag(body, "protected") if ask.since(_VISIBLE) else False,
    }
    data = f"devcloud volume {doc['id']}\n".encode()
    made = image.fresh(ask.request, wanted)
    ask.state.put_blob(made["id"], data)
    return ask.state.insert(image.IMAGE, contents.fill(made, data))
