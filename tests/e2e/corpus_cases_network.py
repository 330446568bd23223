"""Cases without servers: networks, routers, ports, security groups, addresses, volumes."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import NETWORK, Case, Named
from tests.e2e.corpus_stock import PUBLIC_KEY

_SYSELEVEN: Final = "syseleven+heat-examples"
_TEMPEST: Final = "openstack+heat-tempest-plugin/heat_tempest_plugin/tests/scenario/templates"
_JUNIPER: Final = "Juniper+vmx-heat-templates/openstack"
_PORT: Final = {"project_name": "p", "stack_name": "s", "pname": "n", "vnetwork_id": NETWORK.name}
_SERVER: Final = Named("server", "a-server")

CASES: Final = (
    Case("NeCTAR-RC+heat-templates/security_group.yaml", real=True),
    Case("NeCTAR-RC+heat-templates/cinder_volume.yaml", {"availability_zone": "nova"}, real=True),
    Case("onap+demo/heat/OAM-Network/network.yaml", real=True),
    Case(
        "onap+demo/heat/vFW_NextGen/templates/base_template.yaml",
        {
            "int_private1_net_cidr": "192.168.10.0/24",
            "int_private2_net_cidr": "192.168.20.0/24",
            "pub_key": PUBLIC_KEY,
            "vnf_name": "n",
        },
        real=True,
    ),
    Case(
        "onap+demo/heat/vVG/base_vvg.yaml",
        {"volume_size": 1, "nova_instance": _SERVER},
        env="onap+demo/heat/vVG/base_vvg.env",
        changes={"volume_size": 2},
        needs=(_SERVER,),
    ),
    Case(
        "ChameleonCloud+heat-templates/network-isolation/network-isolation.yaml",
        {"cidr_net": "10.20.30.0/24", "dhcp_first": "10.20.30.3", "dhcp_last": "10.20.30.99"},
        changes={"dhcp_last": "10.20.30.199"},
        real=True,
    ),
    Case(
        "catalyst-cloud+catalystcloud-orchestration/hot/vpc.yaml",
        {"public_net": "public", "public_net_id": "public"},
        real=True,
    ),
    Case(
        f"{_TEMPEST}/remote_nested_base.yaml",
        {"name": "abc", "network_name": "public"},
        changes={"name": "xyz"},
        real=True,
    ),
    Case(
        f"{_TEMPEST}/remote_nested_intermediate.yaml",
        {"name": "abc", "network_name": "public"},
        changes={"name": "xyz"},
        real=True,
    ),
    Case("openstack+magnum/contrib/drivers/dcos_centos_v1/templates/secgroup.yaml", real=True),
    Case(
        "openstack+heat-templates/hot/resource_group/volume_with_attachment.yaml",
        {"instance_id": _SERVER},
        needs=(_SERVER,),
        real=True,
    ),
    Case(
        "openstack+openstack-helm/tools/deployment/common/heat-vm-volume-attach.yaml",
        {"instance_uuid": _SERVER},
        needs=(_SERVER,),
        real=True,
    ),
    Case(
        f"{_JUNIPER}/vmx-components/bridges/bridges_internal.yaml",
        {"project_name": "p", "stack_name": "s"},
        changes={"project_name": "q"},
        real=True,
    ),
    Case(
        f"{_JUNIPER}/vmx-components/bridges/bridge_wan.yaml",
        {"project_name": "p", "stack_name": "s", "bname": "b", "net_cidr": "10.1.2.0/24"},
        changes={"bname": "c"},
        real=True,
    ),
    Case(
        f"{_JUNIPER}/vmx-components/ports/port_with_ip.yaml",
        {"vnetwork_id": "onap-net", "name": "n", "ip": "10.0.9.9"},
        changes={"name": "m"},
        needs=(Named("network", "onap-net"),),
        real=True,
    ),
    Case(
        f"{_JUNIPER}/vmx-components/ports/re_int_port.yaml",
        {"vnetwork_id": NETWORK.name, "name": "n", "ip_addr": "10.77.0.5", "ip_addr1": "10.77.0.6"},
        changes={"ip_addr1": "10.77.0.7"},
        needs=(NETWORK,),
        real=True,
    ),
    Case(
        f"{_JUNIPER}/kilo/vmx-components/port.yaml",
        _PORT,
        changes={"pname": "m"},
        needs=(NETWORK,),
        real=True,
    ),
    Case(f"{_SYSELEVEN}/create-security-groups/securityGroup.yaml", real=True),
    Case(f"{_SYSELEVEN}/networks/1.single-network.yaml", {"public_network": "public"}, real=True),
    Case(f"{_SYSELEVEN}/networks/2.two-networks.yaml", {"public_network": "public"}, real=True),
    Case(
        f"{_SYSELEVEN}/reserve-floating-ips/1.1_reserve_floating_ips.yaml",
        {"public_network": "public"},
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/shared-volume/persistent_volume.yaml",
        {"volume_size": "1"},
        changes={"volume_name": "another", "volume_size": "2"},
        real=True,
    ),
    Case(f"{_SYSELEVEN}/volumes/1.1_volumes.yaml", real=True),
    Case(
        f"{_SYSELEVEN}/volumes/1.2_create_volumes.yaml",
        {"volume_size": "1", "volume_name": "v"},
        changes={"volume_size": "3", "volume_name": "w"},
        real=True,
    ),
)
