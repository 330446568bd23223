"""Routers: their gateway, their interfaces, their routes."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem, quota
from stoker.devcloud.neutron import router_port as ports
from stoker.devcloud.neutron.attribute import Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import Malformed, boolean, many, mapping, maybe, text
from stoker.devcloud.neutron.network import NETWORKS, PORT
from stoker.devcloud.neutron.router_port import GATEWAY, INTERFACE
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

ROUTER, FLOATING = "network.router", "network.floatingip"

index(FLOATING, "router_id")


def _gateway(value: Any) -> Doc:
    info = mapping(value)
    if info and "network_id" not in info:
        raise Malformed(
            "Validation of dictionary's keys failed. Expected keys: {'network_id'} Provided keys:"
            f" {set(info)}"
        )
    return info


ATTRIBUTES = {
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "admin_state_up": Attribute(boolean, default=True),
    "external_gateway_info": Attribute(
        maybe(_gateway), None, admin_keys=("enable_snat", "external_fixed_ips")
    ),
    "distributed": Attribute(maybe(boolean), default=False, admin=True),
    "ha": Attribute(maybe(boolean), default=False, admin=True),
    "availability_zone_hints": Attribute(many(text()), [], put=False),
    "routes": Attribute(many(mapping), [], post=False),
    "flavor_id": Attribute(maybe(text()), None, put=False),
}


def complete(_call: Call, doc: Doc) -> Doc:
    """Take the gateway out: it is set once the router is there."""
    return {**doc, "status": "ACTIVE", "gateway": doc.pop("external_gateway_info"), "routes": []}


def created(call: Call, doc: Doc) -> None:
    """Plug the gateway in that the body asked for."""
    wanted = doc.pop("gateway")
    doc |= {
        "external_gateway_info": set_gateway(call, doc, wanted),
        "revision_number": 2 if wanted else 1,
    }
    call.state.update(ROUTER, doc)


def change(call: Call, old: Doc, new: Doc) -> Doc:
    """Move the gateway, check the routes."""
    if new["external_gateway_info"] != old["external_gateway_info"]:
        wanted = new["external_gateway_info"]
        new["external_gateway_info"] = set_gateway(call, old, wanted)
    if new["routes"] != old["routes"]:
        check_routes(call, new)
    return new


def release(call: Call, doc: Doc) -> None:
    """Refuse while interfaces are left; take the gateway along."""
    attached = [p["id"] for p in ports.of(call, doc["id"]) if p["device_owner"] == INTERFACE]
    if attached:
        raise problem.conflict(
            "RouterInUse", f"Router {doc['id']} has ports still attached: {', '.join(attached)}"
        )
    set_gateway(call, doc, None)


def shown(call: Call, doc: Doc) -> Doc:
    """Add the availability zones; hide what only administrators see."""
    body = {**doc, "availability_zones": []}
    if not call.is_admin:
        for name in ("distributed", "ha"):
            body.pop(name, None)
    return body


ROUTERS = Collection(
    singular="router",
    plural="routers",
    path="routers",
    missing=("RouterNotFound", "Router {} could not be found"),
    attributes=ATTRIBUTES,
    complete=complete,
    created=created,
    change=change,
    release=release,
    shown=shown,
    computed=("status",),
    quota="router",
)


def set_gateway(call: Call, router: Doc, wanted: Doc | None) -> Doc | None:
    """Plug, move or unplug a router's gateway and give what is stored of it."""
    old = [p for p in ports.of(call, router["id"]) if p["device_owner"] == GATEWAY]
    if not wanted or not wanted.get("network_id"):
        for port in old:
            _check_gateway_free(call, router, port["network_id"])
            ports.unplug(call, port)
        return None
    network = NETWORKS.get(call, wanted["network_id"])
    if not network["router:external"]:
        raise problem.bad_request(
            f"Bad router request: Network {network['id']} is not an external network.",
            "BadRequest",
        )
    return _plugged(call, router, network, wanted, old)


def _plugged(call: Call, router: Doc, network: Doc, wanted: Doc, old: list[Doc]) -> Doc:
    fixed = wanted.get("external_fixed_ips")
    keeps = bool(old) and old[0]["network_id"] == network["id"]
    if keeps and fixed in (None, old[0]["fixed_ips"]):
        port = old[0]
    else:
        for each in old:
            if not keeps:
                _check_gateway_free(call, router, each["network_id"])
            ports.unplug(call, each)
        port = ports.plug(call, router, network["id"], GATEWAY, fixed)
    return {
        "network_id": network["id"],
        "external_fixed_ips": port["fixed_ips"],
        "enable_snat": wanted.get("enable_snat", True),
    }


def _check_gateway_free(call: Call, router: Doc, network_id: str) -> None:
    if call.state.count(FLOATING, where={"router_id": router["id"]}):
        raise problem.conflict(
            "RouterExternalGatewayInUseByFloatingIp",
            f"Gateway cannot be updated for router {router['id']}, since a gateway to external"
            f" network {network_id} is required by one or more floating IPs.",
        )


def check_routes(call: Call, router: Doc) -> None:
    """Refuse routes that are malformed, too many, or lead where the router is not."""
    limit = quota.limit(call.state, router["project_id"], "router_route")
    if 0 <= limit < len(router["routes"]):
        raise problem.bad_request(
            f"Unable to complete operation for {router['id']}. The number of routes exceeds the"
            f" maximum {limit}.",
            "RoutesExhausted",
        )
    nets = [net for net, _ in ports.subnets_of(call, router["id"])]
    plugged = ports.of(call, router["id"])
    own = {each["ip_address"] for port in plugged for each in port["fixed_ips"]}
    for route in router["routes"]:
        hop = _next_hop(route)
        if not any(hop in net for net in nets):
            raise _invalid_route(router, "the nexthop is not connected with router")
        if str(hop) in own:
            raise _invalid_route(router, "the nexthop is used by router")


def _next_hop(route: Any) -> Any:
    try:
        ipaddress.ip_network(route["destination"], strict=False)
        return ipaddress.ip_address(route["nexthop"])
    except (KeyError, TypeError, ValueError):
        raise problem.bad_request(
            f"Invalid input for routes. Reason: Invalid data format for hostroute: '{route}'."
        ) from None


def _invalid_route(router: Doc, reason: str) -> Exception:
    return problem.bad_request(
        f"Invalid format for routes: {router['routes']}, {reason}", "InvalidRoutes"
    )


def uses(call: Call, router_id: str, subnet_id: str) -> bool:
    """Tell whether floating IPs reach a subnet through a router."""
    for floating in call.state.list(FLOATING, where={"router_id": router_id}):
        port = call.state.get(PORT, floating["port_id"]) if floating["port_id"] else None
        inner = floating["fixed_ip_address"]
        if port and {"subnet_id": subnet_id, "ip_address": inner} in port["fixed_ips"]:
            return True
    return False
