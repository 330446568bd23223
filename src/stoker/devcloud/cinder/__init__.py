"""Cinder v3 with microversions up to 3.71: volumes, and what is made of them.

Rule: what takes time on a real back end takes the time that was set (``PUT /devcloud/latency``,
service ``volume``: create, delete, extend, retype, revert, upload, snapshot,
backup, restore); no bytes are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import (
    attachments,
    backups,
    document,
    metadata,
    qos_specs,
    quota_sets,
    snapshot,
    volume_action,
    volume_create,
    volume_type,
    volume_type_specs,
    volume_types,
    volume_upload,
    volumes,
)
from stoker.devcloud.keystone import catalog

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud

metadata.declare()
volume_upload.declare()
CALLS = (
    attachments,
    backups,
    document,
    metadata,
    qos_specs,
    quota_sets,
    snapshot,
    volume_action,
    volume_create,
    volume_type_specs,
    volume_types,
    volume_upload,
    volumes,
)
"""The modules whose calls are in the table of routes, once they are imported."""


def seed(cloud: Cloud) -> None:
    """Put the volume types in place; a cloud that had no Cinder gets its place in the catalog."""
    volume_type.seed(cloud)
    catalog.complete(cloud)


__all__ = ["CALLS", "seed"]
