"""Cases with servers and volumes."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import FLAVOR, IMAGE, KEY, LARGER, NETWORK, Case, Named

_NECTAR: Final = "NeCTAR-RC+heat-templates"
_CATALYST: Final = "catalyst-cloud+catalystcloud-orchestration/hot"
_OTC: Final = "OpenTelekomCloud+heat-templates"
_HOT: Final = "openstack+heat-templates/hot"
_RALLY: Final = "openstack+rally-openstack"
_SERVER: Final = {"image": IMAGE, "flavor": FLAVOR}
_NAMED: Final = {**_SERVER, "key_name": KEY.name}
_PLACE: Final = {**_SERVER, "availability_zone": "nova"}
_GROUP: Final = Named("security_group", "a-group")
_VOLUME: Final = Named("volume", "a-volume")
_F18: Final = Named("image", "F18-x86_64-cfntools")
_PUBLIC: Final = {"public_net": "public", "public_net_id": "public"}
_SQL: Final = {
    "ssh_key_name": KEY.name,
    "instance_flavor": FLAVOR,
    "image_id": IMAGE,
    "private_network_id": NETWORK.name,
    "security_group": _GROUP.name,
}

CASES: Final = (
    Case(
        f"{_NECTAR}/server_with_new_volume.yaml",
        {**_PLACE, "key_name": KEY.name},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_OTC}/instance_with_cinder.yaml",
        {**_NAMED, "network": "shared", "vol_size": 1},
        changes={"vol_size": 2},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_OTC}/instance_with_rootvol_resize.yaml",
        {"key_name": KEY.name, "ImageID": IMAGE, "NetID": "shared", "disk_size": "4"},
        needs=(KEY,),
        flavors=("c1.medium",),
    ),
    Case(
        f"{_OTC}/instance_with_existing_datavol.yaml",
        {**_NAMED, "network": "shared", "vol_id": _VOLUME},
        needs=(KEY, _VOLUME),
        real=True,
    ),
    Case(
        f"{_CATALYST}/ubuntu-14.04/wordpress-2instances-vpc.yaml",
        {
            **_PUBLIC,
            "key_name": KEY.name,
            "image": IMAGE,
            "web_servers_flavor": FLAVOR,
            "db_servers_flavor": FLAVOR,
        },
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_CATALYST}/ubuntu-14.04/moodletotara-1instance/server.yaml",
        {
            **_PUBLIC,
            "key_name": KEY.name,
            "image": IMAGE,
            "servers_flavor": FLAVOR,
            "secgroup_server": _GROUP.name,
            "private_net_dns_servers": "192.0.2.1,192.0.2.2",
            "environment": "test",
            "app_type": "moodle",
            "site_url": "http://example.org",
            "db_root_password": "secret",
        },
        needs=(KEY, _GROUP),
        real=True,
    ),
    Case(
        f"{_HOT}/F18/NovaInstanceWithCinderVolume_Native.yaml",
        {"key_name": KEY.name},
        needs=(KEY, _F18),
    ),
    Case(
        f"{_HOT}/vm_with_cinder.yaml",
        {**_NAMED, "network": "shared"},
        changes={"vol_size": 2},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_HOT}/server_with_encrpyted_volume.yaml",
        {"key_name": KEY.name, "image_id": IMAGE, "instance_type": FLAVOR},
        changes={"instance_type": LARGER},
        needs=(KEY,),
        admin=True,
    ),
    Case(
        f"{_HOT}/resource_group/server_with_volumes.yaml",
        {"key_name": KEY.name, "image_id": IMAGE, "instance_type": "m1.small"},
        needs=(KEY,),
        real=True,
    ),
    Case(
        "openstack+osops/contrib/heat/lamp/lib/heat_sql_tier.yaml",
        _SQL,
        changes={"db_volume_size": "3"},
        needs=(KEY, _GROUP, NETWORK),
        real=True,
    ),
    Case(
        "openstack+workload-ref-archs/workload-ref-archs/ecommerce/sample/heat/nested"
        "/launch_sql_layer.yaml",
        {
            **_SQL,
            "db_name": "d",
            "db_username": "u",
            "db_password": "p",
            "db_root_password": "r",
        },
        changes={"instance_flavor": LARGER},
        needs=(KEY, _GROUP, NETWORK),
        real=True,
    ),
    Case(
        f"{_RALLY}/rally-jobs/extra/server_with_volume.yaml.template",
        _PLACE,
        changes={"flavor": LARGER},
        real=True,
    ),
    Case(
        f"{_RALLY}/samples/tasks/scenarios/heat/templates/server-with-volume.yaml.template",
        _PLACE,
        changes={"flavor": LARGER},
        real=True,
    ),
)
