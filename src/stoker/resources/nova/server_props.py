"""The properties of OS::Nova::Server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.resources.neutron.port import VNIC_TYPES, AddressPair
from stoker.sdk.schema import Limits, Props, Support, prop

_WAS_DEPRECATED: Final = Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.1"))
_REBUILDS: Final = ("REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL")


class DeviceV1(Props):
    device_name: str = prop("Name of the device, such as vda.")
    volume_id: str | None = prop("Volume, by name or id.", default=None, is_a="cinder.volume")
    snapshot_id: str | None = prop("Snapshot to make it of.", default=None, is_a="cinder.snapshot")
    volume_size: int | None = prop("Size in GB.", default=None)
    delete_on_termination: bool | None = prop("Whether it goes with the server.", default=None)


class Device(Props):
    device_name: str | None = prop("Name of the device, such as vda.", default=None)
    volume_id: str | None = prop("Volume, by name or id.", default=None, is_a="cinder.volume")
    image_id: str | None = prop(
        "Image, by id.",
        default=None,
        becomes="image",
        is_a="glance.image",
        support=Support("HIDDEN", "7.0.0", previous=Support("DEPRECATED", "5.0.0")),
    )
    image: str | None = prop(
        "Image, by name or id.", default=None, is_a="glance.image", support=Support(since="7.0.0")
    )
    snapshot_id: str | None = prop("Snapshot to make it of.", default=None, is_a="cinder.snapshot")
    swap_size: int | None = prop("Size of a swap device in MB.", default=None)
    ephemeral_size: int | None = prop(
        "Size of an ephemeral device in GB.",
        default=None,
        at_least=1,
        support=Support(since="8.0.0"),
    )
    ephemeral_format: str | None = prop(
        "How an ephemeral device is formatted.",
        default=None,
        one_of=("ext2", "ext3", "ext4", "xfs", "ntfs"),
        support=Support(since="8.0.0"),
    )
    device_type: str | None = prop("disk or cdrom.", default=None, one_of=("cdrom", "disk"))
    disk_bus: str | None = prop(
        "Bus that it is on.",
        default=None,
        one_of=("ide", "lame_bus", "sata", "scsi", "usb", "virtio"),
    )
    boot_index: int | None = prop("Place in the order of boot devices.", default=None)
    volume_size: int | None = prop("Size of the volume in GB.", default=None)
    delete_on_termination: bool | None = prop("Whether it goes with the server.", default=None)
    volume_type: str | None = prop(
        "Type of the volume.", default=None, is_a="cinder.vtype", support=Support(since="23.0.0")
    )


class PortExtra(Props):
    value_specs: Mapping[str, Any] = prop(
        "Further values for the request.", default={}, updatable=True
    )
    admin_state_up: bool = prop("Whether it is switched on.", default=True, updatable=True)
    mac_address: str | None = prop("Its MAC address.", default=None, is_a="mac_addr")
    allowed_address_pairs: tuple[AddressPair, ...] | None = prop(
        "Further addresses that may pass.", default=None, updatable=True
    )
    vnic_type: str = prop(
        "What sort of interface it is.",
        default="normal",
        updatable=True,
        one_of=VNIC_TYPES,
        wire="binding:vnic_type",
    )
    port_security_enabled: bool | None = prop(
        "Whether it is secured.", default=None, updatable=True
    )
    qos_policy: str | None = prop(
        "Quality-of-service policy, by name or id.",
        default=None,
        updatable=True,
        is_a="neutron.qos_policy",
    )
    propagate_uplink_status: bool | None = prop(
        "Whether a loss of the uplink is passed on.", default=None, updatable=True
    )
    no_fixed_ips: bool = prop("Give it no address.", default=False, updatable=True)


class Nic(Props):
    uuid: str | None = prop(
        "Network, by id.",
        default=None,
        becomes="network",
        is_a="neutron.network",
        support=_WAS_DEPRECATED,
    )
    network: str | None = prop("Network, by name or id.", default=None, is_a="neutron.network")
    allocate_network: str | None = prop(
        "Let Nova choose a network (auto), or have none.",
        default=None,
        updatable=True,
        one_of=("none", "auto"),
        support=Support(since="9.0.0"),
    )
    fixed_ip: str | None = prop("Address wanted.", default=None, is_a="ip_addr")
    port: str | None = prop("Port to use, by name or id.", default=None, is_a="neutron.port")
    port_extra_properties: PortExtra | None = prop(
        "Properties of the port that is made.",
        default=None,
        updatable=True,
        support=Support(since="6.0.0"),
    )
    subnet: str | None = prop(
        "Subnet to take the address from, by name or id.",
        default=None,
        is_a="neutron.subnet",
        support=Support(since="5.0.0"),
    )
    floating_ip: str | None = prop(
        "Floating IP to lead to it, by id.", default=None, support=Support(since="6.0.0")
    )
    tag: str | None = prop("Tag of the device.", default=None, support=Support(since="9.0.0"))


class SwiftData(Props):
    container: str | None = prop("Name of the container.", default=None, shortest=1)
    object: str | None = prop("Name of the object.", default=None, shortest=1)


class ServerProps(Props):
    name: str | None = prop("Name of the server.", default=None, updatable=True)
    image: str | None = prop(
        "Image to boot, by name or id.", default=None, updatable=True, is_a="glance.image"
    )
    block_device_mapping: tuple[DeviceV1, ...] | None = prop(
        "Volumes, in the old way of saying it.", default=None
    )
    block_device_mapping_v2: tuple[Device, ...] | None = prop(
        "Block devices.", default=None, support=Support(since="2015.1")
    )
    flavor: str = prop("Flavor, by name or id.", updatable=True, is_a="nova.flavor")
    flavor_update_policy: str = prop(
        "How another flavor is brought about.",
        default="RESIZE",
        updatable=True,
        one_of=("RESIZE", "REPLACE"),
    )
    image_update_policy: str = prop(
        "How another image is brought about.",
        default="REBUILD",
        updatable=True,
        one_of=_REBUILDS,
    )
    key_name: str | None = prop("Key pair, by name.", default=None, is_a="nova.keypair")
    admin_user: str | None = prop(
        "Not used any more.",
        default=None,
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.1")),
    )
    availability_zone: str | None = prop("Availability zone.", default=None)
    security_groups: tuple[Any, ...] = prop("Security groups, by name or id.", default=[])
    networks: tuple[Nic, ...] | None = prop(
        "Its interfaces, in order; without it Nova chooses a network.",
        default=None,
        updatable=True,
    )
    scheduler_hints: Mapping[str, Any] | None = prop(
        "What the scheduler is told besides.", default=None
    )
    metadata: Mapping[str, Any] = prop("Metadata of the server.", default={}, updatable=True)
    user_data_format: str = prop(
        "How user_data is handed over.",
        default="HEAT_CFNTOOLS",
        one_of=("HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"),
    )
    software_config_transport: str = prop(
        "How the guest learns of deployments.",
        default="POLL_SERVER_CFN",
        updatable=True,
        one_of=("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"),
        support=Support(since="2014.2"),
    )
    user_data_update_policy: str = prop(
        "How other user_data is brought about.",
        default="REPLACE",
        updatable=True,
        one_of=("REPLACE", "IGNORE", "REBUILD"),
        support=Support(since="6.0.0"),
    )
    user_data: str = prop("What the guest runs at its first boot.", default="", updatable=True)
    reservation_id: str | None = prop("Reservation to make it in.", default=None)
    config_drive: bool | None = prop("Whether it gets a configuration drive.", default=None)
    disk_config: str | None = prop(
        "How its disk is partitioned.", default=None, one_of=("AUTO", "MANUAL"), wire="diskConfig"
    )
    personality: Mapping[str, Any] = prop(
        "Files to put into it, by path.",
        default={},
        support=Support("DEPRECATED", "12.0.0", "use user_data", Support()),
    )
    admin_pass: str | None = prop(
        "Password of its administrator.", default=None, updatable=True, secret=True
    )
    tags: tuple[str, ...] | None = prop(
        "Tags of the server.",
        default=None,
        updatable=True,
        each=Limits(),
        support=Support(since="8.0.0"),
    )
    deployment_swift_data: SwiftData | None = prop(
        "Where deployments are kept in Swift.",
        default={},
        updatable=True,
        support=Support(since="9.0.0"),
    )
