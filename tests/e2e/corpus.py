"""Which real templates are deployed, with what, and what they are updated to.

The templates themselves lie beside the repository; here is only what one must know to use them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPP8JmTFsnxKFlRQ0sFLGzoPvv6eWsKYZqzkOZW2B2Vf a@b"
FLAVORS = ("t3.xsmall", "m3.xsmall", "c1.c1r1", "test")
IMAGES = (
    "NeCTAR Ubuntu 22.04 LTS (Jammy) amd64",
    "ubuntu-14.04-x86_64",
    "Ubuntu Jammy 22.04 (2022-08-11)",
    "test",
)
KEYS = ("a-key",)
NETWORKS = {"onap-net": "10.0.0.0/16"}
"""Made before a template that names one: with more than one, "any network" means nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """``changes`` are parameters of the update, ``becomes`` its template when it is another.

    ``replaced`` are the resources that the update makes anew; it keeps all others.
    """

    path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    env: str | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    becomes: str | None = None
    replaced: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    long: bool = False
    """Only in the long form."""


_NECTAR = "NeCTAR-RC+heat-templates"
_RALLY = "openstack+rally-openstack/rally-jobs/extra"
_GROUPS = "openstack+heat-templates/hot/resource_group"
_JUNIPER = "Juniper+vmx-heat-templates/openstack/vmx-components"
_TRIPLEO = "tripleo-heat-templates-18.0.0-rendered"
_ONAP = "onap+demo/heat"
_PLACE = {"key_name": "a-key", "availability_zone": "nova"}
_VFW = {
    "vfw_image_name": "test",
    "vpg_image_name": "test",
    "vsn_image_name": "test",
    "vfw_flavor_name": "test",
    "vpg_flavor_name": "test",
    "vsn_flavor_name": "test",
    "public_net_id": "shared",
    "onap_private_net_id": "onap-net",
    "onap_private_subnet_id": "onap-net",
    "onap_private_net_cidr": "10.0.0.0/16",
    "sec_group": "default",
    "pub_key": PUBLIC_KEY,
}

CASES = (
    Case(f"{_NECTAR}/random_string.yaml"),
    Case(f"{_NECTAR}/security_group.yaml"),
    Case(f"{_NECTAR}/basic_server.yaml", _PLACE, changes={"flavor": "m1.small"}),
    Case(f"{_NECTAR}/multi_stack.yaml", _PLACE, changes={"flavor": "t3.xsmall"}),
    Case(
        f"{_NECTAR}/nova_keypair_existing.yaml",
        {"public_key": PUBLIC_KEY, "availability_zone": "nova"},
        changes={"image": "test"},
    ),
    Case(
        f"{_NECTAR}/nova_keypair_new.yaml",
        {"availability_zone": "nova"},
        changes={"flavor": "m1.small"},
    ),
    Case(
        "catalyst-cloud+catalystcloud-orchestration/hot/hello-world.yaml",
        {"key_name": "a-key"},
        changes={"image": "test"},
    ),
    Case(f"{_ONAP}/OAM-Network/network.yaml"),
    Case(
        f"{_ONAP}/vFW/base_vfw.yaml",
        _VFW,
        env=f"{_ONAP}/vFW/base_vfw.env",
        changes={"vsn_flavor_name": "m1.small", "vnf_name": "another"},
        replaced=frozenset({"my_keypair", "vfw_server_0", "vpg_server_0", "vsn_server_0"}),
        needs=("onap-net",),
    ),
    Case(
        f"{_ONAP}/vFW_CNF_CDS/templates/base_dummy/base_template.yaml",
        {"vnf_name": "n", "vnf_id": "i", "vf_module_id": "m"},
    ),
    Case(f"{_GROUPS}/resource_group.yaml"),
    Case(f"{_GROUPS}/resource_group_index_lookup.yaml", changes={"random_lengths": "4,7,6"}),
    Case("syseleven+heat-examples/server-groups/group.yaml"),
    Case(
        "openstack+heat-templates/hot/condition.yaml",
        changes={"env_type": "prod", "zone": "xian"},
    ),
    Case(
        "openstack+heat-templates/hot/servers_in_existing_neutron_network_no_floating_ips.yaml",
        {
            "key_name": "a-key",
            "image": "test",
            "flavor": "test",
            "net_id": "onap-net",
            "subnet_id": "onap-net",
        },
        changes={"flavor": "m1.small"},
        needs=("onap-net",),
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_replace.yaml.template",
        replaced=frozenset({"test_string_two"}),
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_add.yaml.template",
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_delete.yaml.template",
    ),
    Case(
        f"{_RALLY}/resource_group.yaml.template",
        becomes=f"{_RALLY}/updated_resource_group_increase.yaml.template",
    ),
    Case(
        f"{_RALLY}/updated_resource_group_increase.yaml.template",
        becomes=f"{_RALLY}/updated_resource_group_reduce.yaml.template",
    ),
    Case(
        "openstack+heat/rally-scenarios/extra/rg_template_with_constraint.yaml",
        {"delay": 0},
        changes={"count": 30},
    ),
    Case(
        "openstack+heat/rally-scenarios/extra/rg_template_with_outputs.yaml",
        {"attr_wait_secs": 0.1},
        long=True,
    ),
    Case("openstack+magnum/contrib/drivers/dcos_centos_v1/templates/secgroup.yaml"),
    Case(
        f"{_JUNIPER}/bridges/bridges_internal.yaml",
        {"project_name": "p", "stack_name": "s"},
        changes={"project_name": "q"},
    ),
    Case(
        f"{_JUNIPER}/ports/port_with_ip.yaml",
        {"vnetwork_id": "onap-net", "name": "n", "ip": "10.0.9.9"},
        changes={"name": "m"},
        needs=("onap-net",),
    ),
    Case(f"{_TRIPLEO}/network/ports/net_ip_map.yaml", changes={"StorageIp": "10.1.1.1"}),
)
