"""The properties of OS::Glance::WebImage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.sdk.schema import Limits, Props, Support, prop

_UUID: Final = (
    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
)
_DISKS: Final = (
    "ami",
    "ari",
    "aki",
    "vhd",
    "vhdx",
    "vmdk",
    "raw",
    "qcow2",
    "vdi",
    "iso",
    "ploop",
)


class WebImageProps(Props):
    name: str | None = prop("Name of the image.", default=None)
    id: str | None = prop("Id of the image; without it one is chosen.", default=None)
    min_disk: int = prop("Least size of a disk for it, in GB.", default=0, at_least=0)
    min_ram: int = prop("Least memory of a server for it, in MB.", default=0, at_least=0)
    protected: bool = prop(
        "Whether it cannot be deleted (by its stack neither).", default=False, updatable=True
    )
    disk_format: str = prop("Format of the disk.", one_of=_DISKS)
    container_format: str = prop(
        "Format around the disk.", one_of=("ami", "ari", "aki", "bare", "ovf", "ova", "docker")
    )
    location: str = prop("URL to fetch it from.")
    tags: tuple[Any, ...] | None = prop("Tags of the image.", default=None, updatable=True)
    architecture: str | None = prop("Architecture of the guest.", default=None, updatable=True)
    kernel_id: str | None = prop(
        "Id of its kernel's image.", default=None, updatable=True, pattern=_UUID
    )
    os_distro: str | None = prop(
        "Distribution of its operating system.", default=None, updatable=True
    )
    os_version: str | None = prop("Version of its operating system.", default=None, updatable=True)
    owner: str | None = prop("Project that owns it.", default=None, updatable=True)
    extra_properties: Mapping[str, Any] = prop(
        "Further properties.", default={}, updatable=True, support=Support(since="17.0.0")
    )
    visibility: str = prop(
        "Who sees it.",
        default="private",
        updatable=True,
        one_of=("public", "private", "community", "shared"),
    )
    ramdisk_id: str | None = prop(
        "Id of its ramdisk's image.", default=None, updatable=True, pattern=_UUID
    )
    active: bool = prop(
        "Whether it can be used.",
        default=True,
        updatable=True,
        support=Support(since="16.0.0"),
    )
    members: tuple[str, ...] | None = prop(
        "Projects that it is shared with, by id.",
        default=None,
        updatable=True,
        each=Limits(),
        support=Support(since="16.0.0"),
    )
