"""Cases of servers that boot with what software configs hold."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import FLAVOR, IMAGE, KEY, LARGER, NETWORK, Case, Named
from tests.e2e.corpus_stock import PUBLIC_KEY

_NECTAR: Final = "NeCTAR-RC+heat-templates"
_SYSELEVEN: Final = "syseleven+heat-examples"
_SERVER: Final = {"image": IMAGE, "flavor": FLAVOR}
_NAMED: Final = {**_SERVER, "key_name": KEY.name}
_PLACE: Final = {**_SERVER, "availability_zone": "nova"}

CASES: Final = (
    Case(
        f"{_NECTAR}/cloud_init.yaml",
        {**_PLACE, "key_name": KEY.name},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        "catalyst-cloud+catalystcloud-orchestration/hot/ubuntu-14.04/nginx-region-instance"
        "/nginx.yaml",
        {
            "key_name": KEY.name,
            "image": IMAGE,
            "servers_flavor": FLAVOR,
            "public_net": "public",
            "public_net_id": "public",
        },
        needs=(KEY,),
        real=True,
    ),
    Case(
        "openstack+openstack-helm/tools/deployment/common/heat-basic-vm-deployment.yaml",
        {"public_net": "public", "image": IMAGE, "ssh_key": KEY.name},
        changes={"dpdk": "enabled"},
        needs=(KEY,),
        admin=True,
    ),
    Case(
        f"{_SYSELEVEN}/example-setup/clustersetup.yaml",
        {
            "public_network": "public",
            "image": IMAGE,
            "number_appservers": "2",
            "number_dbservers": "2",
            **dict.fromkeys(
                ("flavor_lb", "flavor_appserver", "flavor_dbserver", "flavor_servicehost"), FLAVOR
            ),
        },
        env=f"{_SYSELEVEN}/example-setup/clustersetup-env.yaml",
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/example-setup/dbserver.yaml",
        {
            **_SERVER,
            "name": "db",
            "syseleven_net": NETWORK.name,
            "ssh_keys": [PUBLIC_KEY],
            "metadata": {"role": "db"},
        },
        changes={"metadata": {"role": "none"}},
        needs=(NETWORK,),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/kickstart/kickstart.yaml",
        {**_NAMED, "public_network": "public"},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/lamp-single-server/example.yaml",
        {"key_name": KEY.name, "public_network": "public", "image": IMAGE},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/single-server-with-existing-floating-ip/example.yaml",
        {**_SERVER, "public_network": "public", "floating_ip": Named("floating_ip", "public")},
        env=f"{_SYSELEVEN}/single-server-with-existing-floating-ip/example-env.yaml",
        changes={"flavor": LARGER},
        needs=(Named("floating_ip", "public"),),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/single-server-with-multiple-volumes/example.yaml",
        {**_SERVER, "public_network": "public"},
        env=f"{_SYSELEVEN}/single-server-with-multiple-volumes/example-env.yaml",
        changes={"volume_size_db": 40},
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/server-group-with-direct-ip/group.yaml",
        {
            "servers_image": IMAGE,
            "servers_flavor": FLAVOR,
            "dedicated_public_network": "shared",
            "ssh_pubkey_name": KEY.name,
            "ssh_pubkeys": "key",
        },
        changes={"servers_flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
)
