"""What Nova does to volumes: it finds them, makes them, takes them in use and gives them back.

The rule: a volume is the volume service's, and follows that one's rules; this module alone speaks
with it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import attachment, progress, volume, volume_type
from stoker.devcloud.cloud import new_id
from stoker.devcloud.nova import problem

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.nova.ask import Ask
    from stoker.devcloud.state import Doc


def find(ask: Ask, id: str) -> Doc | None:
    """Give the caller's volume with an id, or None."""
    return volume.lookup(ask.state, ask.caller, id)


def find_snapshot(ask: Ask, id: str) -> Doc | None:
    """Give the caller's snapshot of a volume with an id, or None."""
    snapshot = ask.state.get(volume.SNAPSHOT, id)
    is_own = snapshot and snapshot["project_id"] == ask.caller.project_id
    return snapshot if is_own or ask.caller.is_admin else None


def take(cloud: Cloud, server: Doc, found: Doc, device: str, tag: str | None) -> Doc:
    """Attach a volume and give what the server notes of it."""
    made = attachment.attach(cloud, found, server["id"], server["host"] or None, device)
    return {
        "id": made["id"],
        "bdm_uuid": new_id(),
        "volume_id": found["id"],
        "device": device,
        "tag": tag,
        "delete_on_termination": False,
    }


def begin_detaching(cloud: Cloud, id: str) -> None:
    """Have a volume on its way out of use."""
    found = cloud.state.get(volume.KIND, id)
    if found is not None and not found["pending"]:
        progress.store(cloud, volume.KIND, {**found, "status": "detaching"})


def give_back(cloud: Cloud, held: Doc, *, is_deleted: bool) -> None:
    """Detach a volume; delete it where it was to go with its server."""
    made = cloud.state.get(attachment.KIND, held["id"])
    if made is not None:
        attachment.detach(cloud, made)
    found = cloud.state.get(volume.KIND, held["volume_id"])
    if found is None or not (is_deleted and held["delete_on_termination"]):
        return
    if not attachment.of(cloud.state, found["id"]) and not volume.snapshots_of(cloud.state, found):
        progress.begin_delete(cloud, volume.KIND, found)


def check_free(ask: Ask, found: Doc) -> None:
    """Refuse a volume that is attached, or otherwise not available."""
    if found["status"] == "available" or (found["multiattach"] and found["status"] == "in-use"):
        return
    attached = [a["instance"] for a in attachment.of(ask.state, found["id"]) if a["instance"]]
    if attached:
        raise problem.bad_request(
            f"Invalid volume: volume {found['id']} is already attached to instances:"
            f" {', '.join(attached)}"
        )
    raise problem.bad_request(
        f"Invalid volume: volume '{found['id']}' status must be 'available' or 'in-use'."
        f" Currently in '{found['status']}'"
    )


def make(ask: Ask, size: int, image: Doc | None, snapshot: Doc | None) -> Doc:
    """Make the volume that a server boots from, or that it gets blank; it is there at once."""
    type = volume_type.default(ask.state)
    doc = volume.fresh(ask.cloud, ask.caller, size, type, name="", description="")
    doc |= volume.made()
    if image is not None:
        doc |= {"bootable": True, "image_metadata": volume.image_metadata(image)}
    if snapshot is not None:
        origin = ask.state.get(volume.KIND, snapshot["volume_id"]) or doc
        kept = {name: origin[name] for name in ("bootable", "image_metadata")}
        doc |= {"snapshot_id": snapshot["id"], "type_id": snapshot["type_id"], **kept}
    return volume.add(ask.cloud, doc)
