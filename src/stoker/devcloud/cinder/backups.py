"""Backups: list, show, create, delete, restore.

The rule: a backup outlives its volume; one that others build upon stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem, progress, quota, search, volume, volume_type
from stoker.devcloud.cinder.ask import (
    Ask,
    moment,
    read_flag,
    read_map,
    read_name,
    read_text,
    volume_route,
)
from stoker.devcloud.cinder.volume_create import start
from stoker.devcloud.cloud import new_id
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc

KIND, SNAPSHOT = quota.BACKUP, quota.SNAPSHOT
_ONE = "backups/{backup_id}"
_UPDATE, _METADATA, _ENCRYPTED = 9, 43, 64
_FILTERS = frozenset({"name", "status", "volume_id", "id", "snapshot_id", "metadata"})

index(KIND, "volume_id")
index(KIND, "parent_id")


def find(ask: Ask) -> Doc:
    """Give the caller's backup that the path names, or 404."""
    id = ask.params["backup_id"]
    doc = ask.state.get(KIND, id)
    if doc is None or not ask.sees(doc):
        raise problem.missing("Backup", id)
    return doc


def brief(ask: Ask, doc: Doc) -> Doc:
    """Give a backup as short lists show it."""
    return {"id": doc["id"], "name": doc["name"], "links": ask.links(f"backups/{doc['id']}")}


def shown(ask: Ask, doc: Doc) -> Doc:
    """Give a backup whole."""
    names = (
        "status", "size", "availability_zone", "container", "created_at", "updated_at",
        "description", "fail_reason", "volume_id", "snapshot_id", "data_timestamp",
    )  # fmt: skip
    body = {
        **brief(ask, doc),
        **{name: doc[name] for name in names},
        "object_count": 0,
        "is_incremental": doc["parent_id"] is not None,
        "has_dependent_backups": _has_children(ask, doc),
        "os-backup-project-attr:project_id": doc["project_id"],
    }
    if ask.since(_METADATA):
        body["metadata"] = doc["metadata"]
    return body | ({"encryption_key_id": None} if ask.since(_ENCRYPTED) else {})


def _has_children(ask: Ask, doc: Doc) -> bool:
    return ask.state.count(KIND, where={"parent_id": doc["id"]}) > 0


@volume_route("GET", "backups")
def list_backups(ask: Ask) -> Doc:
    """Give backups by name and id."""
    docs, page = _listed(ask, "backups")
    return {"backups": [brief(ask, doc) for doc in docs], **page}


@volume_route("GET", "backups/detail")
def list_backup_details(ask: Ask) -> Doc:
    """Give backups whole."""
    docs, page = _listed(ask, "backups/detail")
    return {"backups": [shown(ask, doc) for doc in docs], **page}


def _listed(ask: Ask, path: str) -> tuple[list[Doc], Doc]:
    docs = search.owned(ask, KIND, search.filters(ask, _FILTERS))
    return search.listed(ask, docs, path, "backups")


@volume_route("GET", _ONE)
def show_backup(ask: Ask) -> Doc:
    """Give one backup."""
    return {"backup": shown(ask, find(ask))}


@volume_route("POST", "backups", status=202)
def create_backup(ask: Ask) -> Doc:
    """Back a volume up."""
    body = ask.body("backup")
    origin = volume.find(ask, read_name(body, "volume_id"))
    snapshot_id = read_text(body, "snapshot_id")
    if snapshot_id:
        _check_snapshot(ask, origin, snapshot_id)
    else:
        _check_volume(body, origin)
    parent = _parent(ask, origin) if read_flag(body, "incremental") else None
    quota.check(ask.state, origin["project_id"], KIND, "", origin["size"])
    doc = _fresh(ask, body, origin, parent)
    ask.state.insert(KIND, doc)
    quota.note(ask.state, KIND, doc, "")
    if not snapshot_id:
        then = {"status": origin["status"]}
        progress.begin(ask.cloud, volume.KIND, origin, "backing-up", "backup", then)
    ends = {"status": "error" if volume.DOOM in doc["metadata"] else "available"}
    progress.begin(ask.cloud, KIND, doc, "creating", "backup", ends)
    return {"backup": brief(ask, doc)}


def _fresh(ask: Ask, body: Doc, origin: Doc, parent: str | None) -> Doc:
    now = moment(ask.cloud)
    return {
        "id": new_id(),
        "name": read_text(body, "name"),
        "description": read_text(body, "description"),
        "container": read_text(body, "container") or "volumebackups",
        "metadata": read_map(body, "metadata"),
        "volume_id": origin["id"],
        "snapshot_id": read_text(body, "snapshot_id"),
        "parent_id": parent,
        "size": origin["size"],
        "status": "creating",
        "pending": None,
        "fail_reason": None,
        "availability_zone": volume.ZONE,
        "bootable": origin["bootable"],
        "image_metadata": origin["image_metadata"],
        "project_id": origin["project_id"],
        "user_id": ask.caller.user_id,
        "created_at": now,
        "updated_at": None,
        "data_timestamp": now,
    }


def _check_volume(body: Doc, origin: Doc) -> None:
    status = origin["status"]
    if status == "in-use" and not read_flag(body, "force"):
        raise problem.invalid("volume", "Backing up an in-use volume must use the force flag.")
    if status not in ("available", "in-use"):
        raise problem.invalid(
            "volume",
            f"Volume to be backed up must be available or in-use, but the current status is"
            f' "{status}".',
        )


def _check_snapshot(ask: Ask, origin: Doc, id: str) -> None:
    snapshot = ask.state.get(SNAPSHOT, id)
    if snapshot is None or not ask.sees(snapshot):
        raise problem.missing("Snapshot", id)
    if snapshot["volume_id"] != origin["id"]:
        raise problem.invalid("volume", "Snapshot does not belong to the volume.")
    if snapshot["status"] != "available":
        raise problem.invalid(
            "snapshot",
            f"Snapshot to be backed up must be available, but the current status is"
            f' "{snapshot["status"]}".',
        )


def _parent(ask: Ask, origin: Doc) -> str:
    """Give the backup that the next one builds upon."""
    held = ask.state.list(KIND, where={"volume_id": origin["id"]})
    whole = [each for each in held if each["status"] == "available"]
    if not whole:
        raise problem.invalid("backup", "No backups available to do an incremental backup.")
    return str(whole[-1]["id"])


@volume_route("PUT", _ONE, since=_UPDATE)
def update_backup(ask: Ask) -> Doc:
    """Change name, description or metadata."""
    doc, body = find(ask), ask.body("backup")
    changes: Doc = {n: read_text(body, n) for n in ("name", "description") if n in body}
    if ask.since(_METADATA) and "metadata" in body:
        changes["metadata"] = read_map(body, "metadata")
    if not changes:
        raise problem.invalid_field("backup", body, "a name or a description is required")
    return {"backup": brief(ask, progress.store(ask.cloud, KIND, {**doc, **changes}))}


@volume_route("DELETE", _ONE, status=202)
def delete_backup(ask: Ask) -> None:
    """Have a backup deleted that no other one builds upon."""
    doc = find(ask)
    if doc["status"] not in ("available", "error"):
        raise problem.invalid("backup", "Backup status must be available or error")
    if _has_children(ask, doc):
        raise problem.invalid("backup", "Incremental backups exist for this backup.")
    progress.begin_delete(ask.cloud, KIND, doc)


@volume_route("POST", f"{_ONE}/restore", status=202)
def restore_backup(ask: Ask) -> Doc:
    """Write a backup back into a volume, or into a new one."""
    doc, body = find(ask), ask.body("restore")
    if doc["status"] != "available":
        raise problem.invalid("backup", "Backup status must be available")
    id, name = read_text(body, "volume_id"), read_text(body, "name")
    target = _target(ask, doc, id) if id else _fresh_target(ask, doc, name)
    progress.begin(ask.cloud, KIND, doc, "restoring", "restore", {"status": "available"})
    shown = {"backup_id": doc["id"], "volume_id": target["id"], "volume_name": target["name"]}
    return {"restore": shown}


def _target(ask: Ask, doc: Doc, id: str) -> Doc:
    target = volume.find(ask, id)
    if target["status"] != "available":
        raise problem.invalid(
            "volume", "Volume to be restored to must be available or in error_restoring"
        )
    if target["size"] < doc["size"]:
        raise problem.invalid(
            "volume",
            f"volume size {target['size']} is too small to restore backup of size {doc['size']}.",
        )
    then = {"status": "available", **_contents(doc)}
    return progress.begin(ask.cloud, volume.KIND, target, "restoring-backup", "restore", then)


def _fresh_target(ask: Ask, doc: Doc, name: str | None) -> Doc:
    type = volume_type.default(ask.state)
    named = {"name": name or f"restore_backup_{doc['id']}"}
    target = volume.fresh(ask.cloud, ask.caller, doc["size"], type, **named)
    return start(ask, target, _contents(doc))


def _contents(doc: Doc) -> dict[str, Any]:
    return {name: doc[name] for name in ("bootable", "image_metadata")}


@volume_route("POST", f"{_ONE}/action", status=202)
def act_on_backup(ask: Ask) -> None:
    """Have an administrator set a backup's status, or delete it in any."""
    doc, body = find(ask), ask.request.object()
    if "os-force_delete" in body:
        ask.only_admin("volume_extension:backup_admin_actions:force_delete")
        progress.begin_delete(ask.cloud, KIND, doc)
        return
    ask.only_admin("volume_extension:backup_admin_actions:reset_status")
    status = read_name(ask.body("os-reset_status"), "status")
    if status not in ("available", "error"):
        raise problem.invalid_field("status", status, "is not one of ['available', 'error']")
    progress.store(ask.cloud, KIND, {**doc, "status": status})


def _removed(cloud: Cloud, doc: Doc) -> None:
    quota.forget(cloud.state, KIND, doc["id"])


progress.removed_by(KIND, _removed)
