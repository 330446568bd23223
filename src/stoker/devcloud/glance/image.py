"""What an image is: its fields, who sees it, and how it is checked and shown.

Rule: fields that are not the service's own are the user's, and strings; an id is never used twice,
not even after its image was deleted.
"""

from __future__ import annotations

import re
from typing import Any

from stoker.devcloud import clock
from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Request
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import Doc, State, index, schema

IMAGE, TASK, MEMBER = "image.image", "image.task", "image.member"
VISIBILITIES = ("public", "private", "shared", "community")
CONTAINERS = ("ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed")
DISKS = (
    "ami",
    "ari",
    "aki",
    "vhd",
    "vhdx",
    "vmdk",
    "raw",
    "qcow2",
    "vdi",
    "ploop",
    "iso",
    "gpt",
)
SETTABLE: dict[str, Doc] = {
    "name": {"type": ["null", "string"], "maxLength": 255},
    "visibility": {"type": "string", "enum": list(VISIBILITIES)},
    "container_format": {"type": ["null", "string"], "enum": [None, *CONTAINERS]},
    "disk_format": {"type": ["null", "string"], "enum": [None, *DISKS]},
    "min_disk": {"type": "integer"},
    "min_ram": {"type": "integer"},
    "protected": {"type": "boolean"},
    "os_hidden": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string", "maxLength": 255}},
    "owner": {"type": ["null", "string"], "maxLength": 255},
}
READ_ONLY: dict[str, Doc] = {
    "status": {"type": "string"},
    "size": {"type": ["null", "integer"]},
    "virtual_size": {"type": ["null", "integer"]},
    "checksum": {"type": ["null", "string"]},
    "os_hash_algo": {"type": ["null", "string"]},
    "os_hash_value": {"type": ["null", "string"]},
    "created_at": {"type": "string"},
    "updated_at": {"type": "string"},
    "self": {"type": "string"},
    "file": {"type": "string"},
    "schema": {"type": "string"},
}
_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PYTHON = {"string": str, "integer": int, "boolean": bool, "array": list, "null": type(None)}

index(TASK, "image_id")
index(MEMBER, "image_id")
schema("CREATE TABLE IF NOT EXISTS deleted_images (id TEXT PRIMARY KEY) WITHOUT ROWID")


def fresh(request: Request, wanted: Doc) -> Doc:
    """Make a new, queued image of what a user asked for; refuse what is not right about it."""
    for name, value in wanted.items():
        if name != "id":
            check(request, name, value)
    id = wanted.get("id") or new_id()
    if not _ID.fullmatch(str(id)):
        raise Refusal(400, f"Invalid image id: {id} is no UUID.")
    now = clock.iso(request.cloud.now())
    blank: Doc = {
        **dict.fromkeys(("name", "disk_format", "container_format", "size", "virtual_size")),
        **dict.fromkeys(("checksum", "os_hash_algo", "os_hash_value")),
        "visibility": "shared",
        "status": "queued",
        "protected": False,
        "min_ram": 0,
        "min_disk": 0,
        "os_hidden": False,
        "owner": request.caller.project_id,
        "created_at": now,
        "updated_at": now,
        "tags": [],
    }
    tags = sorted(set(wanted.get("tags", ())))
    return {**blank, **wanted, "tags": tags, "id": id}


def check(request: Request, name: str, value: Any) -> None:
    """Refuse a value that a field may not have, or that this caller may not give it."""
    if name in READ_ONLY:
        raise Refusal(403, f"Attribute '{name}' is read-only.")
    rule = SETTABLE.get(name, {"type": "string"})
    if not _fits(value, rule):
        raise Refusal(400, f"Provided object does not match schema 'image': {name}: {value!r}")
    admin = request.caller.is_admin
    if name == "visibility" and value == "public" and not admin:
        raise Refusal(403, "You are not authorized to complete publicize_image action.")
    if name == "owner" and value != request.caller.project_id and not admin:
        raise Refusal(403, f"You are not permitted to create images owned by '{value}'.")


def _fits(value: Any, rule: Doc) -> bool:
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    if type(value) not in {_PYTHON[kind] for kind in kinds}:
        return False
    if isinstance(value, list):
        return all(_fits(each, rule["items"]) for each in value)
    if isinstance(value, int) and value < 0:
        return False
    too_long = isinstance(value, str) and len(value) > rule.get("maxLength", 65535)
    return not too_long and ("enum" not in rule or value in rule["enum"])


def shown(image: Doc) -> Doc:
    """Write an image as answers show it."""
    place = f"/v2/images/{image['id']}"
    return {**image, "self": place, "file": f"{place}/file", "schema": "/v2/schemas/image"}


def is_visible(request: Request, image: Doc) -> bool:
    """Tell whether the caller may see an image when he knows its id."""
    is_open = image["visibility"] in ("public", "community")
    is_own = request.caller.is_admin or image["owner"] == request.caller.project_id
    return is_open or is_own or member(request.state, image, request.caller.project_id) is not None


def member(state: State, image: Doc, project_id: str) -> Doc | None:
    """Give the membership by which a project sees a shared image, or None."""
    if image["visibility"] != "shared":
        return None
    return state.get(MEMBER, f"{image['id']}/{project_id}")


def visible(request: Request) -> Doc:
    """Give the image that the path names, or refuse with a 404."""
    id = request.params["image_id"]
    image = request.state.get(IMAGE, id)
    if image is None or not is_visible(request, image):
        raise Refusal(404, f"Failed to find image {id}")
    return image


def own(request: Request) -> Doc:
    """Give the image that the path names, to change it; refuse with a 403 what is another's."""
    image = visible(request)
    if image["owner"] != request.caller.project_id and not request.caller.is_admin:
        raise Refusal(403, f"You are not permitted to modify image {image['id']}.")
    return image


def store(request: Request, image: Doc) -> Doc:
    """Keep a changed image, with the time of its change."""
    image["updated_at"] = clock.iso(request.cloud.now())
    return request.state.update(IMAGE, image)


def bury(state: State, id: str) -> None:
    """Delete an image with its data, tasks and members, and remember that the id was used."""
    for kind in (TASK, MEMBER):
        for each in state.list(kind, where={"image_id": id}):
            state.delete(kind, each["id"])
    state.delete(IMAGE, id)
    state.delete_blob(id)
    state.execute("INSERT OR IGNORE INTO deleted_images (id) VALUES (?)", (id,))


def was_used(state: State, id: str) -> bool:
    """Tell whether an id is an image's, or was."""
    gone = state.rows("SELECT 1 FROM deleted_images WHERE id = ?", (id,))
    return bool(gone) or state.get(IMAGE, id) is not None
