"""What Neutron answers: routers, their interfaces and gateways, floating IPs.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.network_scenarios import NOBODYS, network, neutron, port, subnet
from tests.agreement.step import SOME, Json, Scenario, Step


def router(status: int, keep: str = "", see: Any = None, **fields: Json) -> Step:
    """Return the creation of a router, kept by its id as ``keep``."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "router.id"}} if keep else {}
    return neutron("POST", "routers", status, {"router": fields}, **more, **kept)


def gateway(status: int, info: Json, see: Any = None) -> Step:
    """Return a change of the gateway of router ``r``."""
    more: dict[str, Any] = {"see": see} if see else {}
    body = {"router": {"external_gateway_info": info}}
    return neutron("PUT", "routers/{r}", status, body, **more)


def interface(verb: str, status: int, see: Any = None, at: str = "r", **fields: Json) -> Step:
    """Return a router's interface that comes (``add``) or goes (``remove``)."""
    more: dict[str, Any] = {"see": see} if see else {}
    return neutron("PUT", f"routers/{{{at}}}/{verb}_router_interface", status, fields, **more)


def floating(status: int, keep: str = "", see: Any = None, **fields: Json) -> Step:
    """Return the creation of a floating IP from the public network."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "floatingip.id"}} if keep else {}
    wanted = {"floating_network_id": "{public}", **fields}
    return neutron("POST", "floatingips", status, {"floatingip": wanted}, **more, **kept)


def associate(status: int, which: str, with_port: str | None, see: Any = None) -> Step:
    """Return the association of a floating IP with a port, or with none."""
    more: dict[str, Any] = {"see": see} if see else {}
    body = {"floatingip": {"port_id": with_port}}
    return neutron("PUT", f"floatingips/{{{which}}}", status, body, **more)


ROUTERS = Scenario(
    "routers and interfaces",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24", keep="s"),
        subnet(201, network_id="{n}", cidr="10.82.0.0/24", gateway_ip=None, keep="closed"),
        network("m"),
        subnet(201, network_id="{m}", cidr="10.81.0.0/25", keep="overlapping"),
        router(
            201,
            "r",
            name="r",
            see={
                "router.status": "ACTIVE",
                "router.revision_number": 1,
                "router.admin_state_up": True,
                "router.external_gateway_info": None,
                "router.routes": [],
            },
        ),
        interface("add", 200, subnet_id="{s}", see={"subnet_id": "{s}", "port_id": SOME}),
        interface("add", 400, "BadRequest", subnet_id="{s}"),
        interface("add", 400, "BadRequest", subnet_id="{closed}"),
        interface("add", 400, "BadRequest", subnet_id="{overlapping}"),
        interface("add", 404, "SubnetNotFound", subnet_id=NOBODYS),
        interface("add", 404, "PortNotFound", port_id=NOBODYS),
        interface("add", 400, "BadRequest"),
        interface("add", 400, "BadRequest", subnet_id="{s}", port_id=NOBODYS),
        neutron(
            "GET",
            "ports?device_id={r}",
            200,
            keep={"leg": "ports.0.id"},
            see={
                "ports.#": 1,
                "ports.0.device_owner": "network:router_interface",
                "ports.0.fixed_ips.0.ip_address": "10.81.0.1",
                "ports.0.security_groups": [],
            },
        ),
        neutron("DELETE", "ports/{leg}", 409, see="ServicePortInUse"),
        neutron("DELETE", "routers/{r}", 409, see="RouterInUse"),
        neutron("DELETE", "subnets/{s}", 409, see="SubnetInUse"),
        neutron("DELETE", "networks/{n}", 409, see="NetworkInUse"),
        interface("remove", 400, "BadRequest"),
        interface("remove", 404, subnet_id="{overlapping}"),
        interface("remove", 200, subnet_id="{s}", see={"subnet_id": "{s}", "port_id": "{leg}"}),
        interface("remove", 404, "RouterInterfaceNotFoundForSubnet", subnet_id="{s}"),
        interface("remove", 404, port_id="{leg}"),
        port(201, network_id="{n}", fixed_ips=[{"subnet_id": "{s}"}], keep="p"),
        interface("add", 200, port_id="{p}"),
        interface("add", 409, "PortInUse", port_id="{p}"),
        router(201, "q", name="q"),
        interface("add", 409, "PortInUse", at="q", port_id="{p}"),
        interface("add", 200, at="q", subnet_id="{s}"),
        interface("remove", 200, port_id="{p}"),
        neutron("GET", "ports/{p}", 404, see="PortNotFound"),
        neutron("DELETE", "routers/{r}", 204),
        neutron("DELETE", "routers/{r}", 404, see="RouterNotFound"),
        interface("add", 404, "RouterNotFound", subnet_id="{s}"),
    ),
)

GATEWAYS = Scenario(
    "gateways and routes of routers",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24", keep="s"),
        router(400, external_gateway_info={"network_id": "{n}"}, see="BadRequest"),
        router(400, external_gateway_info={"enable_snat": True}, see="HTTPBadRequest"),
        router(
            403,
            external_gateway_info={"network_id": "{public}", "enable_snat": True},
            see="PolicyNotAuthorized",
        ),
        router(
            403,
            external_gateway_info={
                "network_id": "{public}",
                "external_fixed_ips": [{"ip_address": "172.24.4.99"}],
            },
            see="PolicyNotAuthorized",
        ),
        router(404, external_gateway_info={"network_id": NOBODYS}, see="NetworkNotFound"),
        router(201, external_gateway_info={}, see={"router.external_gateway_info": None}),
        router(
            201,
            "r",
            external_gateway_info={"network_id": "{public}"},
            see={
                "router.external_gateway_info.network_id": "{public}",
                "router.external_gateway_info.enable_snat": True,
                "router.external_gateway_info.external_fixed_ips.#": 1,
            },
        ),
        gateway(403, {"network_id": "{public}", "enable_snat": False}, "PolicyNotAuthorized"),
        gateway(400, {"network_id": "{n}"}, "BadRequest"),
        interface("add", 200, subnet_id="{s}"),
        neutron(
            "PUT",
            "routers/{r}",
            200,
            {"router": {"routes": [{"destination": "10.99.0.0/24", "nexthop": "10.81.0.9"}]}},
            see={"router.routes.#": 1},
        ),
        neutron(
            "PUT",
            "routers/{r}",
            400,
            {"router": {"routes": [{"destination": "10.99.0.0/24", "nexthop": "10.55.0.9"}]}},
            see="InvalidRoutes",
        ),
        interface("remove", 409, "RouterInterfaceInUseByRoute", subnet_id="{s}"),
        neutron("PUT", "routers/{r}", 200, {"router": {"routes": []}}),
        interface("remove", 200, subnet_id="{s}"),
        gateway(200, None, {"router.external_gateway_info": None}),
        gateway(200, {}, {"router.external_gateway_info": None}),
        gateway(200, {"network_id": "{public}"}),
        neutron("DELETE", "routers/{r}", 204),
    ),
)

FLOATING_IPS = Scenario(
    "floating IPs",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24", keep="s"),
        port(201, network_id="{n}", fixed_ips=[{"ip_address": "10.81.0.5"}], keep="p"),
        port(201, network_id="{n}", fixed_ips=[{"ip_address": "10.81.0.6"}], keep="q"),
        floating(
            201,
            "f",
            see={
                "floatingip.status": "DOWN",
                "floatingip.revision_number": 0,
                "floatingip.port_id": None,
                "floatingip.fixed_ip_address": None,
                "floatingip.router_id": None,
                "floatingip.floating_ip_address": SOME,
            },
        ),
        floating(400, floating_network_id="{n}", see="BadRequest"),
        floating(404, floating_network_id=NOBODYS, see="NetworkNotFound"),
        floating(404, port_id="{p}", see="ExternalGatewayForFloatingIPNotFound"),
        floating(404, port_id=NOBODYS, see="PortNotFound"),
        floating(403, floating_ip_address="172.24.4.77", see="PolicyNotAuthorized"),
        associate(404, "f", "{p}", "ExternalGatewayForFloatingIPNotFound"),
        associate(404, "f", NOBODYS, "PortNotFound"),
        router(201, "r", external_gateway_info={"network_id": "{public}"}),
        associate(404, "f", "{p}", "ExternalGatewayForFloatingIPNotFound"),
        interface("add", 200, subnet_id="{s}"),
        associate(
            200,
            "f",
            "{p}",
            {
                "floatingip.port_id": "{p}",
                "floatingip.fixed_ip_address": "10.81.0.5",
                "floatingip.router_id": "{r}",
            },
        ),
        neutron("GET", "floatingips/{f}", 200, patient=True, see={"floatingip.status": "ACTIVE"}),
        floating(201, "g", port_id="{q}", see={"floatingip.fixed_ip_address": "10.81.0.6"}),
        associate(409, "g", "{p}", "FloatingIPPortAlreadyAssociated"),
        floating(409, port_id="{p}", see="FloatingIPPortAlreadyAssociated"),
        interface("remove", 409, "RouterInterfaceInUseByFloatingIP", subnet_id="{s}"),
        gateway(409, None, "RouterExternalGatewayInUseByFloatingIp"),
        neutron("DELETE", "routers/{r}", 409, see="RouterInUse"),
        neutron("DELETE", "ports/{q}", 204),
        neutron(
            "GET",
            "floatingips/{g}",
            200,
            see={
                "floatingip.port_id": None,
                "floatingip.fixed_ip_address": None,
                "floatingip.router_id": None,
            },
        ),
        neutron(
            "PUT",
            "floatingips/{f}",
            400,
            {"floatingip": {"port_id": "{p}", "fixed_ip_address": "10.81.0.99"}},
            see="BadRequest",
        ),
        associate(200, "f", None, {"floatingip.port_id": None, "floatingip.router_id": None}),
        associate(200, "g", "{p}", {"floatingip.port_id": "{p}"}),
        port(201, network_id="{n}", fixed_ips=[{"ip_address": "10.81.0.7"}], keep="other"),
        associate(
            200,
            "g",
            "{other}",
            {"floatingip.port_id": "{other}", "floatingip.fixed_ip_address": "10.81.0.7"},
        ),
        associate(200, "f", "{p}", {"floatingip.fixed_ip_address": "10.81.0.5"}),
        associate(200, "f", None),
        neutron("DELETE", "floatingips/{g}", 204),
        neutron("DELETE", "floatingips/{g}", 404, see="FloatingIPNotFound"),
        associate(404, "g", "{p}", "FloatingIPNotFound"),
        neutron("DELETE", "floatingips/{f}", 404, who="stranger", see="FloatingIPNotFound"),
        gateway(200, None),
    ),
)
