"""What Neutron answers: networks, subnets, ports, security groups.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.step import GONE, SOME, Json, Scenario, Step

TYPE = "NeutronError.type"
NOBODYS = "11111111-2222-4333-8444-555555555555"
"""An id that nothing has."""


def neutron(method: str, path: str, status: int, body: Json = None, **more: Any) -> Step:
    """Return a step on the network service; a word as ``see`` is the error's type."""
    if isinstance(more.get("see"), str):
        more["see"] = {TYPE: more["see"]}
    return Step("network", method, f"/v2.0/{path}", status, body, **more)


def port(status: int, see: Any = None, keep: str = "", **fields: Json) -> Step:
    """Return the creation of a port, kept by its id as ``keep``."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "port.id"}} if keep else {}
    return neutron("POST", "ports", status, {"port": fields}, **more, **kept)


def subnet(status: int, see: Any = None, keep: str = "", **fields: Json) -> Step:
    """Return the creation of a subnet, kept by its id as ``keep``."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "subnet.id"}} if keep else {}
    wanted = {"ip_version": 4, **fields}
    return neutron("POST", "subnets", status, {"subnet": wanted}, **more, **kept)


def network(keep: str, **fields: Json) -> Step:
    """Return the creation of a network, kept by its id as ``keep``."""
    body = {"network": {"name": keep, **fields}}
    return neutron("POST", "networks", 201, body, keep={keep: "network.id"})


def rule(status: int, see: Any = None, keep: str = "", **fields: Json) -> Step:
    """Return the creation of a rule of a security group."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "security_group_rule.id"}} if keep else {}
    body = {"security_group_rule": {"direction": "ingress", **fields}}
    return neutron("POST", "security-group-rules", status, body, **more, **kept)


def pairs(status: int, *wanted: Json, see: str) -> Step:
    """Return a change of the allowed address pairs of port ``p``."""
    body = {"port": {"allowed_address_pairs": list(wanted)}}
    return neutron("PUT", "ports/{p}", status, body, see=see)


NETWORKS = Scenario(
    "networks and subnets",
    (
        neutron(
            "POST",
            "networks",
            201,
            {"network": {"name": "n"}},
            keep={"n": "network.id"},
            see={
                "network.status": "ACTIVE",
                "network.admin_state_up": True,
                "network.shared": False,
                "network.router:external": False,
                "network.port_security_enabled": True,
                "network.mtu": 1450,
                "network.subnets.#": 0,
                "network.revision_number": 1,
                "network.provider:network_type": GONE,
            },
        ),
        neutron("GET", "networks/{n}", 200, see={"network.status": "ACTIVE"}),
        neutron("GET", "networks/{n}", 404, who="stranger", see="NetworkNotFound"),
        neutron("PUT", "networks/{n}", 404, {"network": {"name": "x"}}, who="stranger"),
        neutron("DELETE", "networks/{n}", 404, who="stranger", see="NetworkNotFound"),
        neutron("PUT", "networks/{n}", 200, {"network": {"admin_state_up": False}}),
        neutron("POST", "networks", 403, {"network": {"shared": True}}, see="PolicyNotAuthorized"),
        neutron("POST", "networks", 403, {"network": {"router:external": True}}),
        neutron("POST", "networks", 400, {"network": {"colour": "red"}}, see="HTTPBadRequest"),
        neutron("POST", "networks", 400, {"network": {"admin_state_up": "perhaps"}}),
        neutron("POST", "networks", 400, {"net": {}}),
        neutron("PUT", "networks/{n}", 400, {"network": {"status": "DOWN"}}),
        subnet(
            201,
            network_id="{n}",
            cidr="10.81.0.0/24",
            keep="s",
            see={
                "subnet.revision_number": 0,
                "subnet.gateway_ip": "10.81.0.1",
                "subnet.enable_dhcp": True,
                "subnet.allocation_pools": [{"start": "10.81.0.2", "end": "10.81.0.254"}],
                "subnet.dns_nameservers": [],
                "subnet.host_routes": [],
                "subnet.ipv6_ra_mode": None,
                "subnet.subnetpool_id": None,
            },
        ),
        subnet(400, "InvalidInput", network_id="{n}", cidr="10.81.0.128/25"),
        subnet(400, network_id="{n}", cidr="10.81.0.0/24"),
        subnet(400, network_id="{n}", cidr="10.82.0.0/33"),
        subnet(400, network_id="{n}", cidr="10.82.0.0/24", ip_version=6),
        subnet(400, network_id="{n}", cidr="10.82.0.0/24", ip_version=5),
        subnet(400, network_id="{n}"),
        subnet(404, "NetworkNotFound", network_id=NOBODYS, cidr="10.82.0.0/24"),
        subnet(
            400,
            network_id="{n}",
            cidr="10.82.0.0/24",
            allocation_pools=[{"start": "10.83.0.2", "end": "10.83.0.9"}],
            see="OutOfBoundsAllocationPool",
        ),
        subnet(
            400,
            network_id="{n}",
            cidr="10.82.0.0/24",
            allocation_pools=[{"start": "10.82.0.9", "end": "10.82.0.2"}],
            see="InvalidAllocationPool",
        ),
        subnet(
            409,
            network_id="{n}",
            cidr="10.82.0.0/24",
            allocation_pools=[
                {"start": "10.82.0.2", "end": "10.82.0.9"},
                {"start": "10.82.0.8", "end": "10.82.0.20"},
            ],
            see="OverlappingAllocationPools",
        ),
        subnet(
            409,
            network_id="{n}",
            cidr="10.82.0.0/24",
            gateway_ip="10.82.0.5",
            allocation_pools=[{"start": "10.82.0.2", "end": "10.82.0.9"}],
            see="GatewayConflictWithAllocationPools",
        ),
        subnet(400, network_id="{n}", cidr="10.82.0.0/24", dns_nameservers=["not an address"]),
        subnet(
            201,
            network_id="{n}",
            cidr="10.82.0.0/24",
            gateway_ip=None,
            enable_dhcp=False,
            allocation_pools=[{"start": "10.82.0.10", "end": "10.82.0.20"}],
            keep="t",
        ),
        neutron(
            "PUT",
            "subnets/{t}",
            409,
            {"subnet": {"gateway_ip": "10.82.0.15"}},
            see="GatewayConflictWithAllocationPools",
        ),
        neutron(
            "PUT",
            "subnets/{t}",
            200,
            {"subnet": {"gateway_ip": "10.82.0.1"}},
            see={"subnet.gateway_ip": "10.82.0.1"},
        ),
        neutron("PUT", "subnets/{t}", 400, {"subnet": {"cidr": "10.84.0.0/24"}}),
        neutron("GET", "networks/{n}", 200, see={"network.subnets.#": 2}),
        neutron("DELETE", "subnets/{t}", 204),
        neutron("DELETE", "subnets/{t}", 404, see="SubnetNotFound"),
        neutron("DELETE", "networks/{n}", 204),
        neutron("GET", "subnets/{s}", 404, see="SubnetNotFound"),
        neutron("DELETE", "networks/{n}", 404, see="NetworkNotFound"),
    ),
)

PORTS = Scenario(
    "ports and their addresses",
    (
        network("n"),
        port(201, network_id="{n}", see={"port.fixed_ips": []}, keep="bare"),
        neutron("DELETE", "ports/{bare}", 204),
        subnet(201, network_id="{n}", cidr="10.81.0.0/29", keep="s"),
        port(
            201,
            network_id="{n}",
            fixed_ips=[{"ip_address": "10.81.0.3"}],
            keep="p",
            see={
                "port.status": "DOWN",
                "port.revision_number": 1,
                "port.admin_state_up": True,
                "port.device_id": "",
                "port.device_owner": "",
                "port.name": "",
                "port.fixed_ips.0.subnet_id": "{s}",
                "port.fixed_ips.0.ip_address": "10.81.0.3",
                "port.port_security_enabled": True,
                "port.security_groups.#": 1,
                "port.allowed_address_pairs": [],
                "port.binding:vnic_type": "normal",
                "port.binding:vif_type": GONE,
                "port.mac_address": SOME,
            },
        ),
        neutron("GET", "ports/{p}", 200, keep={"mac": "port.mac_address"}),
        port(
            409,
            "IpAddressAlreadyAllocated",
            network_id="{n}",
            fixed_ips=[{"ip_address": "10.81.0.3"}],
        ),
        port(
            409,
            "IpAddressAlreadyAllocated",
            network_id="{n}",
            fixed_ips=[{"subnet_id": "{s}", "ip_address": "10.81.0.3"}],
        ),
        port(400, "InvalidIpForNetwork", network_id="{n}", fixed_ips=[{"ip_address": "10.99.0.3"}]),
        port(
            400,
            "InvalidIpForSubnet",
            network_id="{n}",
            fixed_ips=[{"subnet_id": "{s}", "ip_address": "10.99.0.3"}],
        ),
        port(400, network_id="{n}", fixed_ips=[{"ip_address": "no address"}]),
        port(404, "SubnetNotFound", network_id="{n}", fixed_ips=[{"subnet_id": NOBODYS}]),
        port(404, "NetworkNotFound", network_id=NOBODYS),
        port(400, network_id="no uuid"),
        port(400),
        port(409, "MacAddressInUse", network_id="{n}", mac_address="{mac}"),
        port(400, network_id="{n}", mac_address="no mac"),
        port(403, "PolicyNotAuthorized", network_id="{n}", **{"binding:host_id": "x"}),
        port(404, "SecurityGroupNotFound", network_id="{n}", security_groups=[NOBODYS]),
        port(
            400,
            "PortSecurityAndIPRequiredForSecurityGroups",
            network_id="{n}",
            port_security_enabled=False,
            security_groups=[NOBODYS],
        ),
        pairs(400, {"mac_address": "fa:16:3e:00:00:01"}, see="AllowedAddressPairsMissingIP"),
        pairs(400, {"ip_address": "10.9.0.1", "mac_address": "x"}, see="HTTPBadRequest"),
        pairs(400, {"ip_address": "10.9.0.1", "colour": "red"}, see="HTTPBadRequest"),
        neutron("PUT", "ports/{p}", 400, {"port": {"allowed_address_pairs": "x"}}),
        neutron(
            "PUT",
            "ports/{p}",
            400,
            {"port": {"extra_dhcp_opts": [{"colour": "red"}]}},
            see="InvalidInput",
        ),
        port(
            201,
            network_id="{n}",
            port_security_enabled=False,
            keep="open",
            see={"port.port_security_enabled": False, "port.security_groups": []},
        ),
        neutron(
            "PUT",
            "ports/{open}",
            409,
            {"port": {"allowed_address_pairs": [{"ip_address": "10.9.0.0/16"}]}},
            see="AddressPairAndPortSecurityRequired",
        ),
        neutron("PUT", "ports/{open}", 200, {"port": {"port_security_enabled": True}}),
        neutron(
            "PUT",
            "ports/{p}",
            409,
            {"port": {"port_security_enabled": False}},
            see="PortSecurityPortHasSecurityGroup",
        ),
        neutron(
            "PUT",
            "ports/{p}",
            200,
            {"port": {"allowed_address_pairs": [{"ip_address": "10.9.0.0/16"}]}},
            see={
                "port.allowed_address_pairs.0.ip_address": "10.9.0.0/16",
                "port.allowed_address_pairs.0.mac_address": "{mac}",
            },
        ),
        neutron(
            "PUT", "ports/{p}", 400, {"port": {"allowed_address_pairs": [{"ip_address": "x"}]}}
        ),
        neutron(
            "PUT",
            "ports/{p}",
            400,
            {
                "port": {
                    "allowed_address_pairs": [
                        {"ip_address": "10.9.0.1"},
                        {"ip_address": "10.9.0.1"},
                    ]
                }
            },
            see="DuplicateAddressPairInRequest",
        ),
        neutron("PUT", "ports/{p}", 200, {"port": {"security_groups": []}}),
        neutron(
            "PUT",
            "ports/{p}",
            200,
            {"port": {"fixed_ips": [{"subnet_id": "{s}"}, {"subnet_id": "{s}"}]}},
            see={"port.fixed_ips.#": 2},
        ),
        neutron("PUT", "ports/{p}", 400, {"port": {"network_id": "{n}"}}, see="HTTPBadRequest"),
        port(201, network_id="{n}", keep="q"),
        port(201, network_id="{n}", keep="r"),
        port(409, "IpAddressGenerationFailure", network_id="{n}"),
        neutron("DELETE", "subnets/{s}", 409, see="SubnetInUse"),
        neutron("DELETE", "networks/{n}", 409, see="NetworkInUse"),
        neutron("DELETE", "ports/{p}", 404, who="stranger", see="PortNotFound"),
        neutron("DELETE", "ports/{p}", 204),
        neutron("DELETE", "ports/{p}", 404, see="PortNotFound"),
        neutron("PUT", "ports/{p}", 404, {"port": {"name": "x"}}, see="PortNotFound"),
        neutron("DELETE", "ports/{q}", 204),
        neutron("DELETE", "ports/{r}", 204),
        neutron("DELETE", "ports/{open}", 204),
        neutron("DELETE", "networks/{n}", 204),
        port(404, "NetworkNotFound", network_id="{n}"),
    ),
)

SECURITY_GROUPS = Scenario(
    "security groups",
    (
        neutron(
            "POST",
            "security-groups",
            201,
            {"security_group": {"name": "g"}},
            keep={"g": "security_group.id"},
            see={
                "security_group.security_group_rules.#": 2,
                "security_group.stateful": True,
                "security_group.revision_number": 1,
            },
        ),
        neutron(
            "POST",
            "security-groups",
            201,
            {"security_group": {"name": "g"}},
            keep={"h": "security_group.id"},
        ),
        neutron(
            "POST",
            "security-groups",
            409,
            {"security_group": {"name": "default"}},
            see="SecurityGroupDefaultAlreadyExists",
        ),
        rule(
            201,
            security_group_id="{g}",
            protocol="tcp",
            port_range_min=22,
            port_range_max=22,
            keep="r",
            see={
                "security_group_rule.ethertype": "IPv4",
                "security_group_rule.remote_ip_prefix": None,
                "security_group_rule.remote_group_id": None,
            },
        ),
        rule(
            409,
            "SecurityGroupRuleExists",
            security_group_id="{g}",
            protocol="tcp",
            port_range_min=22,
            port_range_max=22,
        ),
        rule(
            201,
            security_group_id="{g}",
            protocol="tcp",
            port_range_min=22,
            port_range_max=22,
            remote_group_id="{h}",
        ),
        rule(201, security_group_id="{h}", protocol="tcp", port_range_min=1, port_range_max=65535),
        rule(409, "SecurityGroupRuleExists", security_group_id="{h}", protocol="6"),
        rule(
            409,
            "SecurityGroupRuleExists",
            security_group_id="{h}",
            protocol="tcp",
            remote_ip_prefix="0.0.0.0/0",
        ),
        rule(201, security_group_id="{h}", ethertype="IPv6", protocol="icmp"),
        rule(
            409,
            "SecurityGroupRuleExists",
            security_group_id="{h}",
            ethertype="IPv6",
            protocol="icmpv6",
        ),
        rule(400, security_group_id="{h}", protocol="icmpv6"),
        rule(
            400,
            "SecurityGroupInvalidPortRange",
            security_group_id="{g}",
            protocol="tcp",
            port_range_min=30,
            port_range_max=20,
        ),
        rule(
            400,
            "SecurityGroupProtocolRequiredWithPorts",
            security_group_id="{g}",
            port_range_min=30,
            port_range_max=30,
        ),
        rule(
            400,
            "SecurityGroupInvalidIcmpValue",
            security_group_id="{g}",
            protocol="icmp",
            port_range_min=300,
        ),
        rule(400, "SecurityGroupRuleInvalidProtocol", security_group_id="{g}", protocol="ship"),
        rule(400, "SecurityGroupRuleInvalidEtherType", security_group_id="{g}", ethertype="IPv5"),
        rule(
            400,
            "SecurityGroupRuleParameterConflict",
            security_group_id="{g}",
            ethertype="IPv6",
            remote_ip_prefix="10.0.0.0/8",
        ),
        rule(
            400,
            "SecurityGroupMultipleRemoteEntites",
            security_group_id="{g}",
            remote_group_id="{h}",
            remote_ip_prefix="10.0.0.0/8",
        ),
        rule(400, "HTTPBadRequest", security_group_id="{g}", direction="upwards"),
        rule(
            400,
            "SecurityGroupInvalidPortValue",
            security_group_id="{g}",
            protocol="tcp",
            port_range_min=70000,
            port_range_max=70000,
        ),
        rule(400, "InvalidCIDR", security_group_id="{g}", remote_ip_prefix="x"),
        rule(400, "SecurityGroupRuleInvalidProtocol", security_group_id="{g}", protocol="300"),
        rule(404, "SecurityGroupNotFound", security_group_id=NOBODYS, protocol="udp"),
        rule(404, "SecurityGroupNotFound", security_group_id="{g}", remote_group_id=NOBODYS),
        neutron(
            "PUT", "security-group-rules/{r}", 400, {"security_group_rule": {"protocol": "udp"}}
        ),
        neutron("DELETE", "security-group-rules/{r}", 204),
        neutron("DELETE", "security-group-rules/{r}", 404, see="SecurityGroupRuleNotFound"),
        neutron(
            "GET", "security-groups?name=default", 200, keep={"default": "security_groups.0.id"}
        ),
        neutron("DELETE", "security-groups/{default}", 409, see="SecurityGroupCannotRemoveDefault"),
        neutron(
            "PUT",
            "security-groups/{default}",
            409,
            {"security_group": {"name": "x"}},
            see="SecurityGroupCannotUpdateDefault",
        ),
        neutron(
            "PUT",
            "security-groups/{g}",
            200,
            {"security_group": {"description": "d"}},
            see={"security_group.description": "d"},
        ),
        network("n"),
        port(201, network_id="{n}", security_groups=["{g}"], keep="p"),
        neutron("DELETE", "security-groups/{g}", 409, see="SecurityGroupInUse"),
        neutron("DELETE", "security-groups/{h}", 204),
        neutron(
            "GET", "security-groups/{g}", 200, see={"security_group.security_group_rules.#": 2}
        ),
        neutron("DELETE", "security-groups/{g}", 404, who="stranger"),
        neutron("DELETE", "ports/{p}", 204),
        neutron("DELETE", "security-groups/{g}", 204),
        neutron("DELETE", "security-groups/{g}", 404, see="SecurityGroupNotFound"),
    ),
)
