"""How a volume looks to a client: which fields, at which microversion, to whom.

The rule: nothing here changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import attachment, volume

if TYPE_CHECKING:
    from stoker.devcloud.cinder.ask import Ask
    from stoker.devcloud.state import Doc

_GROUP, _PROVIDER, _TARGETS, _CLUSTER, _TYPE_ID, _CONSUMES = 13, 21, 48, 61, 63, 65


def brief(ask: Ask, doc: Doc) -> Doc:
    """Give a volume as short lists show it."""
    return {"id": doc["id"], "name": doc["name"], "links": ask.links(f"volumes/{doc['id']}")}


def shown(ask: Ask, doc: Doc, *, is_whole: bool = True) -> Doc:
    """Give a volume as answers show it; not whole where it was just made or changed."""
    is_admin = ask.caller.is_admin
    attached = attachment.of(ask.state, doc["id"])
    body = {
        **brief(ask, doc),
        **{name: doc[name] for name in _PLAIN},
        "volume_type": volume.type_of(ask.state, doc)["name"],
        "metadata": {**doc["metadata"], **doc["admin_metadata"]},
        "bootable": "true" if doc["bootable"] else "false",
        "replication_status": None,
        "consistencygroup_id": None,
        "attachments": [
            attachment.within(each, is_admin=is_admin)
            for each in attached
            if each["attach_status"] == "attached"
        ],
        **({"migration_status": None} if is_admin else {}),
        **_versioned(ask, doc),
    }
    return {**body, **_extended(ask, doc)} if is_whole else body


_PLAIN = (
    "status",
    "size",
    "availability_zone",
    "created_at",
    "updated_at",
    "description",
    "snapshot_id",
    "source_volid",
    "user_id",
    "encrypted",
    "multiattach",
)


def _versioned(ask: Ask, doc: Doc) -> Doc:
    """Give the fields that came with a microversion."""
    came = {
        _GROUP: {"group_id": None},
        _PROVIDER: {"provider_id": None} if ask.caller.is_admin else {},
        _TARGETS: {name: doc[name] for name in ("shared_targets", "service_uuid")},
        _CLUSTER: {"cluster_name": None} if ask.caller.is_admin else {},
        _TYPE_ID: {"volume_type_id": doc["type_id"]},
        _CONSUMES: {"consumes_quota": True},
    }
    body: Doc = {}
    for minor, fields in came.items():
        if ask.since(minor):
            body |= fields
    return body


def _extended(ask: Ask, doc: Doc) -> Doc:
    body: Doc = {"os-vol-tenant-attr:tenant_id": doc["project_id"]}
    if doc["image_metadata"] is not None:
        body["volume_image_metadata"] = doc["image_metadata"]
    if ask.caller.is_admin:
        body |= {
            "os-vol-mig-status-attr:migstat": None,
            "os-vol-mig-status-attr:name_id": None,
            "os-vol-host-attr:host": volume.HOST,
        }
    return body
