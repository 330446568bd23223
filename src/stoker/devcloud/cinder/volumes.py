"""The volumes' collection: lists, summary, show, update, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import attachment, problem, progress, search, volume
from stoker.devcloud.cinder.ask import Ask, read_flag, read_map, read_text, volume_route
from stoker.devcloud.cinder.volume import KIND, find
from stoker.devcloud.cinder.volume_view import brief, shown

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_FILTERS = frozenset(
    {"name", "display_name", "description", "status", "metadata", "bootable", "migration_status",
     "availability_zone", "group_id", "size", "id", "snapshot_id", "source_volid", "created_at",
     "updated_at", "consumes_quota", "glance_metadata"}
)  # fmt: skip
_COUNTED = 45
_SUMMARY, _SUMMED_METADATA = 12, 36


@volume_route("GET", "volumes")
def list_volumes(ask: Ask) -> Doc:
    """Give volumes by name and id."""
    docs, page = _listed(ask, "volumes")
    return {"volumes": [brief(ask, doc) for doc in docs], **page}


@volume_route("GET", "volumes/detail")
def list_volume_details(ask: Ask) -> Doc:
    """Give volumes whole."""
    docs, page = _listed(ask, "volumes/detail")
    return {"volumes": [shown(ask, doc) for doc in docs], **page}


@volume_route("GET", "volumes/summary", since=_SUMMARY)
def show_volume_summary(ask: Ask) -> Doc:
    """Give how many volumes there are, and how large they are together."""
    docs = _found(ask)
    body: Doc = {"total_count": len(docs), "total_size": sum(doc["size"] for doc in docs)}
    if ask.since(_SUMMED_METADATA):
        values: dict[str, set[str]] = {}
        for doc in docs:
            for name, value in doc["metadata"].items():
                values.setdefault(name, set()).add(value)
        body["metadata"] = {name: sorted(held) for name, held in values.items()}
    return {"volume-summary": body}


def _listed(ask: Ask, path: str) -> tuple[list[Doc], Doc]:
    docs = _found(ask)
    found, page = search.listed(ask, docs, path, "volumes")
    if ask.since(_COUNTED) and ask.request.first("with_count").lower() in ("1", "true"):
        page["count"] = len(docs)
    return found, page


def _found(ask: Ask) -> list[Doc]:
    return search.owned(ask, KIND, search.filters(ask, _FILTERS))


@volume_route("GET", "volumes/{volume_id}")
def show_volume(ask: Ask) -> Doc:
    """Give one volume."""
    return {"volume": shown(ask, find(ask))}


@volume_route("PUT", "volumes/{volume_id}")
def update_volume(ask: Ask) -> Doc:
    """Change name, description or metadata."""
    doc, body = find(ask), ask.body("volume")
    names = {"name", "description", "display_name", "display_description", "metadata"}
    unknown = sorted(set(body) - names)
    if unknown or not body:
        raise problem.invalid_field("volume", body, f"Additional properties: {unknown}")
    changes: Doc = {}
    for name in ("name", "description"):
        if name in body or f"display_{name}" in body:
            changes[name] = read_text(body, name, f"display_{name}")
    if "metadata" in body:
        changes["metadata"] = read_map(body, "metadata")
    stored = progress.store(ask.cloud, KIND, {**doc, **changes})
    return {"volume": shown(ask, stored, is_whole=False)}


@volume_route("DELETE", "volumes/{volume_id}", status=202)
def delete_volume(ask: Ask) -> None:
    """Have a volume deleted; with ``cascade`` its snapshots go too."""
    doc = find(ask)
    query = {name: values[-1] for name, values in ask.request.query.items()}
    if read_flag(query, "cascade"):
        _doom_snapshots(ask, doc)
        progress.begin_delete(ask.cloud, KIND, doc)
        return
    if read_flag(query, "force"):
        ask.only_admin("volume:force_delete")
    else:
        volume.check_deletable(ask.state, doc)
    progress.begin_delete(ask.cloud, KIND, doc)


def _doom_snapshots(ask: Ask, doc: Doc) -> None:
    if doc["status"] not in volume.DELETABLE or attachment.of(ask.state, doc["id"]):
        volume.check_deletable(ask.state, doc)
    for snapshot in volume.snapshots_of(ask.state, doc):
        if snapshot["status"] not in ("available", "error", "deleting"):
            raise problem.invalid("volume", "Failed to update snapshots: one of them is busy.")
        progress.store(ask.cloud, volume.SNAPSHOT, {**snapshot, "status": "deleting"})
