"""What takes its time: volumes, snapshots and backups that are being made, changed or deleted.

The rule: a thing that is busy carries what will become of it, and the agenda knows when; nothing
else changes it by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder.ask import moment
from stoker.devcloud.neutron import agenda

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc

SERVICE = "volume"
GONE = "gone"

_REMOVERS: dict[str, Callable[[Cloud, Doc], None]] = {}


def removed_by(kind: str, remover: Callable[[Cloud, Doc], None]) -> None:
    """Declare a kind of things that take time, and what takes one of them away."""
    _REMOVERS[kind] = remover

    @agenda.settler(kind)
    def settle(cloud: Cloud, id: str) -> None:
        doc = cloud.state.get(kind, id)
        if doc is not None and doc.get("pending") is not None:
            _end(cloud, kind, doc)


def begin(
    cloud: Cloud, kind: str, doc: Doc, status: str, operation: str, then: Mapping[str, Any]
) -> Doc:
    """Put a stored thing into a busy status; ``then`` is merged into it when the time has come."""
    busy = {**doc, "status": status, "pending": dict(then)}
    store(cloud, kind, busy)
    seconds = cloud.latency.seconds(SERVICE, operation)
    if seconds <= 0:
        return _end(cloud, kind, busy)
    agenda.put(cloud, kind, doc["id"], seconds)
    return busy


def begin_delete(cloud: Cloud, kind: str, doc: Doc) -> None:
    """Have a stored thing deleted; it is to be seen for as long as that takes."""
    begin(cloud, kind, doc, "deleting", "delete", {GONE: True})


def remove(cloud: Cloud, kind: str, doc: Doc) -> None:
    """Take a thing away at once."""
    agenda.drop(cloud, kind, doc["id"])
    _REMOVERS[kind](cloud, doc)
    cloud.state.delete(kind, doc["id"])


def store(cloud: Cloud, kind: str, doc: Doc) -> Doc:
    """Store a changed thing, with the time of the change."""
    return cloud.state.update(kind, {**doc, "updated_at": moment(cloud)})


def _end(cloud: Cloud, kind: str, doc: Doc) -> Doc:
    becomes = doc["pending"]
    if becomes.get(GONE):
        remove(cloud, kind, doc)
        return doc
    return store(cloud, kind, {**doc, **becomes, "pending": None})
