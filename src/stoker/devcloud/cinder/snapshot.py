"""Snapshots of volumes: list, show, create, change, delete.

The rule: a snapshot counts among its project's gigabytes with the size of its volume, and holds
that volume.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import problem, progress, quota, search, volume
from stoker.devcloud.cinder.ask import (
    Ask,
    moment,
    read_flag,
    read_map,
    read_name,
    read_text,
    volume_route,
)
from stoker.devcloud.cloud import new_id

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc

KIND = quota.SNAPSHOT
_ONE = "snapshots/{snapshot_id}"
_GROUP, _BY_METADATA, _USER, _CONSUMES, _IN_USE = 14, 22, 41, 65, 66
_FILTERS = frozenset(
    {"name", "display_name", "status", "volume_id", "metadata", "id", "availability_zone"}
)
_STATUSES = ("available", "error", "creating", "deleting", "error_deleting")

_KNOWN = {
    "volume_id", "name", "description", "display_name", "display_description", "metadata", "force",
}  # fmt: skip


def find(ask: Ask) -> Doc:
    """Give the caller's snapshot that the path names, or 404."""
    id = ask.params["snapshot_id"]
    snapshot = ask.state.get(KIND, id)
    if snapshot is None or not ask.sees(snapshot):
        raise problem.missing("Snapshot", id)
    return snapshot


def shown(ask: Ask, doc: Doc, *, is_whole: bool = True) -> Doc:
    """Give a snapshot as answers show it; not whole in short lists and where it was just made."""
    names = ("id", "name", "description", "created_at", "updated_at", "volume_id", "status")
    body: Doc = {name: doc[name] for name in (*names, "size", "metadata")}
    came: dict[int, Doc] = {
        _GROUP: {"group_snapshot_id": None},
        _USER: {"user_id": doc["user_id"]},
        _CONSUMES: {"consumes_quota": True},
    }
    for minor, fields in came.items():
        if ask.since(minor):
            body |= fields
    if not is_whole:
        return body
    progress = "100%" if doc["status"] == "available" else "0%"
    extended = {"progress": progress, "project_id": doc["project_id"]}
    return body | {f"os-extended-snapshot-attributes:{n}": value for n, value in extended.items()}


@volume_route("GET", "snapshots")
def list_snapshots(ask: Ask) -> Doc:
    """Give snapshots."""
    return _listed(ask, "snapshots", is_whole=False)


@volume_route("GET", "snapshots/detail")
def list_snapshot_details(ask: Ask) -> Doc:
    """Give snapshots whole."""
    return _listed(ask, "snapshots/detail", is_whole=True)


def _listed(ask: Ask, path: str, *, is_whole: bool) -> Doc:
    wanted = search.filters(ask, _FILTERS)
    if not ask.since(_BY_METADATA):
        wanted.pop("metadata", None)
    docs = search.owned(ask, KIND, wanted)
    found, page = search.listed(ask, docs, path, "snapshots")
    return {"snapshots": [shown(ask, doc, is_whole=is_whole) for doc in found], **page}


@volume_route("GET", _ONE)
def show_snapshot(ask: Ask) -> Doc:
    """Give one snapshot."""
    return {"snapshot": shown(ask, find(ask))}


@volume_route("POST", "snapshots", status=202)
def create_snapshot(ask: Ask) -> Doc:
    """Take a snapshot of a volume."""
    body = ask.body("snapshot")
    unknown = sorted(set(body) - _KNOWN)
    if unknown:
        raise problem.invalid_field("snapshot", body, f"Additional properties: {unknown}")
    origin = volume.find(ask, read_name(body, "volume_id"))
    _check_free(ask, body, origin)
    type = volume.type_of(ask.state, origin)
    quota.check(ask.state, origin["project_id"], KIND, type["name"], origin["size"])
    doc = {
        "id": new_id(),
        "name": read_text(body, "name", "display_name"),
        "description": read_text(body, "description", "display_description"),
        "metadata": read_map(body, "metadata"),
        "volume_id": origin["id"],
        "type_id": type["id"],
        "size": origin["size"],
        "status": "creating",
        "pending": None,
        "project_id": origin["project_id"],
        "user_id": ask.caller.user_id,
        "created_at": moment(ask.cloud),
        "updated_at": None,
    }
    ask.state.insert(KIND, doc)
    quota.note(ask.state, KIND, doc, type["name"])
    ends = {"status": "error" if volume.DOOM in doc["metadata"] else "available"}
    progress.begin(ask.cloud, KIND, doc, "creating", "snapshot", ends)
    return {"snapshot": shown(ask, doc, is_whole=False)}


def _check_free(ask: Ask, body: Doc, origin: Doc) -> None:
    is_forced = read_flag(body, "force")
    if ask.since(_IN_USE):
        if "force" in body and not is_forced:
            raise problem.invalid_input(
                "force: Invalid value: snapshots of in-use volumes need no force from 3.66 on"
            )
        is_forced = True
    allowed = ("available", "in-use") if is_forced else ("available",)
    if origin["status"] not in allowed:
        raise problem.invalid(
            "volume",
            f"Volume {origin['id']} status must be {' or '.join(allowed)}, but current status is:"
            f" {origin['status']}.",
        )


@volume_route("PUT", _ONE)
def update_snapshot(ask: Ask) -> Doc:
    """Change name or description."""
    doc, body = find(ask), ask.body("snapshot")
    changes = {
        name: read_text(body, name, f"display_{name}")
        for name in ("name", "description")
        if name in body or f"display_{name}" in body
    }
    if not changes:
        raise problem.invalid_field("snapshot", body, "a name or a description is required")
    stored = progress.store(ask.cloud, KIND, {**doc, **changes})
    return {"snapshot": shown(ask, stored, is_whole=False)}


@volume_route("DELETE", _ONE, status=202)
def delete_snapshot(ask: Ask) -> None:
    """Have a snapshot deleted."""
    doc = find(ask)
    if doc["status"] not in ("available", "error"):
        raise problem.invalid(
            "snapshot",
            "Snapshot status must be available or error and must not be part of a group.",
        )
    progress.begin_delete(ask.cloud, KIND, doc)


@volume_route("POST", f"{_ONE}/action", status=202)
def act_on_snapshot(ask: Ask) -> None:
    """Have an administrator set a snapshot's status, or delete it in any."""
    doc, body = find(ask), ask.request.object()
    if "os-force_delete" in body:
        ask.only_admin("volume_extension:snapshot_admin_actions:force_delete")
        progress.begin_delete(ask.cloud, KIND, doc)
        return
    ask.only_admin("volume_extension:snapshot_admin_actions:reset_status")
    status = read_name(ask.body("os-reset_status"), "status")
    if status not in _STATUSES:
        raise problem.invalid_field("status", status, f"'{status}' is not one of {_STATUSES}")
    progress.store(ask.cloud, KIND, {**doc, "status": status})


def _removed(cloud: Cloud, doc: Doc) -> None:
    quota.forget(cloud.state, KIND, doc["id"])


progress.removed_by(KIND, _removed)
