"""The properties of OS::Cinder::Volume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoker.sdk.schema import Props, Support, prop


class VolumeProps(Props):
    availability_zone: str | None = prop("Availability zone.", default=None)
    size: int | None = prop(
        "Size in GB; it can grow, and not shrink.", default=None, updatable=True, at_least=1
    )
    snapshot_id: str | None = prop(
        "Snapshot to make it of, by name or id.", default=None, is_a="cinder.snapshot"
    )
    backup_id: str | None = prop(
        "Backup to make it of, or to restore into it, by name or id.",
        default=None,
        updatable=True,
        is_a="cinder.backup",
    )
    name: str | None = prop("Name of the volume.", default=None, updatable=True)
    description: str | None = prop("What it is for.", default=None, updatable=True)
    volume_type: str | None = prop(
        "Type, by name or id.", default=None, updatable=True, is_a="cinder.vtype"
    )
    metadata: Mapping[str, Any] = prop("Metadata of the volume.", default={}, updatable=True)
    imageRef: str | None = prop(  # noqa: N815 - its name in templates
        "Image, by name or id.",
        default=None,
        becomes="image",
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.1")),
    )
    image: str | None = prop(
        "Image to make it of, by name or id.", default=None, is_a="glance.image"
    )
    source_volid: str | None = prop(
        "Volume to copy, by name or id.", default=None, is_a="cinder.volume"
    )
    scheduler_hints: Mapping[str, Any] | None = prop(
        "What the scheduler is told.", default=None, support=Support(since="2015.1")
    )
    read_only: bool | None = prop(
        "Whether it may only be read.",
        default=None,
        updatable=True,
        support=Support(since="5.0.0"),
    )
    multiattach: bool = prop(
        "Not used any more; the volume's type says it.",
        default=False,
        support=Support("HIDDEN", "13.0.0", previous=Support(since="6.0.0")),
    )
