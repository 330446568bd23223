"""Cases with servers and the networks that they are in."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import FLAVOR, IMAGE, KEY, LARGER, Case, Named

_CATALYST: Final = "catalyst-cloud+catalystcloud-orchestration/hot"
_OTC: Final = "OpenTelekomCloud+heat-templates"
_HOT: Final = "openstack+heat-templates/hot"
_RALLY: Final = "openstack+rally-openstack"
_SYSELEVEN: Final = "syseleven+heat-examples"
_SERVER: Final = {"image": IMAGE, "flavor": FLAVOR}
_NAMED: Final = {**_SERVER, "key_name": KEY.name}
_JAMMY: Final = Named("image", "Ubuntu Jammy 22.04 (2022-08-11)")
_PUBLIC: Final = {"public_net": "public", "public_net_id": "public"}

CASES: Final = (
    Case(
        f"{_OTC}/WordPress_Single_instance.yaml",
        {**_NAMED, "public_net_id": "public"},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_CATALYST}/ubuntu-14.04/first-instance/first-instance.yaml",
        {**_PUBLIC, "key_name": KEY.name, "image": IMAGE, "servers_flavor": FLAVOR},
        changes={"servers_flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_CATALYST}/ubuntu-14.04/vrrp-basic/vrrp.yaml",
        {**_PUBLIC, "key_name": KEY.name, "image": IMAGE, "servers_flavor": FLAVOR},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_HOT}/servers_in_new_neutron_net.yaml",
        {
            **_NAMED,
            "public_net": "public",
            "private_net_name": "private",
            "private_net_cidr": "10.9.8.0/24",
            "private_net_gateway": "10.9.8.1",
            "private_net_pool_start": "10.9.8.10",
            "private_net_pool_end": "10.9.8.99",
        },
        changes={"private_net_pool_end": "10.9.8.199", "private_net_name": "another"},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_RALLY}/rally-jobs/extra/server_with_ports.yaml.template",
        {**_SERVER, "public_net": "public"},
        changes={"flavor": LARGER},
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/create-security-groups/singleMachineProdEnv.yaml",
        {"key_name": KEY.name, "public_network": "public", "ip_whitelist": "192.0.2.7/32"},
        changes={"ip_whitelist": "192.0.2.8/32"},
        needs=(KEY, _JAMMY),
    ),
    Case(
        f"{_SYSELEVEN}/single-server-from-snapshot/snapshot_image_example.yaml",
        {"key_name": KEY.name, "public_network": "public", "image": IMAGE},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/subnet-connect/subnetConnect.yaml",
        {"key_name": KEY.name, "public_network": "public"},
        needs=(KEY, _JAMMY),
    ),
    Case(f"{_SYSELEVEN}/affinity/servergroups.yaml", needs=(_JAMMY,)),
    Case(f"{_SYSELEVEN}/server-groups/group.yaml", needs=(_JAMMY,)),
)
