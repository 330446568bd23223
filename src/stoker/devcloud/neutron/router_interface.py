"""A router's interfaces: the four calls that plug it in and out, and change its routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem, router
from stoker.devcloud.neutron import router_port as ports
from stoker.devcloud.neutron.port import PORTS
from stoker.devcloud.neutron.router import ROUTERS
from stoker.devcloud.neutron.router_port import HOST, INTERFACE
from stoker.devcloud.neutron.routes import network_route, wrapped
from stoker.devcloud.neutron.subnet import SUBNETS
from stoker.devcloud.neutron.subnet_rules import network_of

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc


def declare() -> None:
    """Say that this module's calls are in the table: they are, once it is imported."""


@network_route("PUT", "routers/{id}/add_router_interface", "add_router_interface")
def add_interface(request: Request, call: Call) -> Doc:
    """Plug a router into a subnet, or into a port that exists."""
    owned = ROUTERS.owned(call, request.params["id"], "update")
    body = _body(request)
    _one_of_two(body)
    if body.get("port_id"):
        port = _with_port(call, owned, body["port_id"])
    else:
        port = _with_subnet(call, owned, body["subnet_id"])
    ROUTERS.store(call, owned)
    return _answer(owned, port)


@network_route("PUT", "routers/{id}/remove_router_interface", "remove_router_interface")
def remove_interface(request: Request, call: Call) -> Doc:
    """Unplug a router from a subnet or a port."""
    owned = ROUTERS.owned(call, request.params["id"], "update")
    body = _body(request)
    port = _plugged(call, owned, body)
    for fixed in port["fixed_ips"]:
        _check_unused(call, owned, fixed["subnet_id"])
    ports.unplug(call, port)
    ROUTERS.store(call, owned)
    return _answer(owned, port)


@network_route("PUT", "routers/{id}/add_extraroutes", "add_extraroutes")
def add_routes(request: Request, call: Call) -> Doc:
    """Add routes in one step."""
    return _with_routes(
        request, call, lambda old, more: [*old, *(each for each in more if each not in old)]
    )


@network_route("PUT", "routers/{id}/remove_extraroutes", "remove_extraroutes")
def remove_routes(request: Request, call: Call) -> Doc:
    """Remove routes in one step."""
    return _with_routes(request, call, lambda old, less: [r for r in old if r not in less])


def _body(request: Request) -> Doc:
    body: Any = request.json()
    named = [body.get(n) for n in ("subnet_id", "port_id")] if isinstance(body, dict) else []
    if not any(named) or not all(isinstance(id, str | None) for id in named):
        raise problem.bad_request(
            "Bad router request: Either subnet_id or port_id must be specified.", "BadRequest"
        )
    return dict(body)


def _one_of_two(body: Doc) -> None:
    """Refuse both at once, for an interface to come."""
    if body.get("port_id") and body.get("subnet_id"):
        raise problem.bad_request(
            "Bad router request: Cannot specify both subnet-id and port-id.", "BadRequest"
        )


def _with_subnet(call: Call, owned: Doc, subnet_id: str) -> Doc:
    subnet = SUBNETS.get(call, subnet_id)
    if not subnet["gateway_ip"]:
        raise problem.bad_request(
            "Bad router request: Subnet for router interface must have a gateway IP.",
            "BadRequest",
        )
    _check_apart(call, owned, subnet)
    fixed = {"subnet_id": subnet["id"], "ip_address": subnet["gateway_ip"]}
    return ports.plug(call, owned, subnet["network_id"], INTERFACE, [fixed])


def _with_port(call: Call, owned: Doc, port_id: str) -> Doc:
    port = PORTS.owned(call, port_id, "update")
    if port["device_id"]:
        raise problem.conflict(
            "PortInUse",
            f"Unable to complete operation on port {port_id} for network {port['network_id']}."
            f" Port already has an attached device {port['device_id']}.",
        )
    if not port["fixed_ips"]:
        raise problem.bad_request(
            "Bad router request: Router port must have at least one fixed IP.", "BadRequest"
        )
    for fixed in port["fixed_ips"]:
        _check_apart(call, owned, SUBNETS.get(call, fixed["subnet_id"]))
    plugged = {"device_id": owned["id"], "device_owner": INTERFACE, "binding:host_id": HOST}
    return PORTS.store(call, {**port, **plugged, "status": "ACTIVE"})


def _check_apart(call: Call, owned: Doc, subnet: Doc) -> None:
    """Refuse a subnet that the router has, or whose addresses it already routes."""
    net = network_of(subnet)
    for other, taken in ports.subnets_of(call, owned["id"]):
        if taken["id"] == subnet["id"]:
            raise problem.bad_request(
                f"Bad router request: Router already has a port on subnet {subnet['id']}.",
                "BadRequest",
            )
        if net.version == other.version and net.overlaps(other):
            raise problem.bad_request(
                f"Bad router request: Cidr {net} of subnet {subnet['id']} overlaps with cidr"
                f" {other} of subnet {taken['id']}.",
                "BadRequest",
            )


def _plugged(call: Call, owned: Doc, body: Doc) -> Doc:
    """Give the interface that a body means by its port or by its subnet."""
    plugged = [p for p in ports.of(call, owned["id"]) if p["device_owner"] == INTERFACE]
    wanted = body.get("subnet_id")
    for port in plugged:
        on = {fixed["subnet_id"] for fixed in port["fixed_ips"]}
        if body.get("port_id") in (None, port["id"]) and (wanted is None or wanted in on):
            return port
    if body.get("port_id"):
        raise problem.missing(
            "RouterInterfaceNotFound",
            f"Router {owned['id']} does not have an interface with id {body['port_id']}",
        )
    SUBNETS.get(call, body["subnet_id"])
    raise problem.missing(
        "RouterInterfaceNotFoundForSubnet",
        f"Router {owned['id']} has no interface on subnet {wanted}",
    )


def _check_unused(call: Call, owned: Doc, subnet_id: str) -> None:
    if router.uses(call, owned["id"], subnet_id):
        raise problem.conflict(
            "RouterInterfaceInUseByFloatingIP",
            f"Router interface for subnet {subnet_id} on router {owned['id']} cannot be deleted,"
            " as it is required by one or more floating IPs.",
        )
    subnet = SUBNETS.get(call, subnet_id)
    net = network_of(subnet)
    for route in owned["routes"]:
        if route["nexthop"] and _inside(net, route["nexthop"]):
            raise problem.conflict(
                "RouterInterfaceInUseByRoute",
                f"Router interface for subnet {subnet_id} on router {owned['id']} cannot be"
                " deleted, as it is required by one or more routes.",
            )


def _inside(net: Any, address: str) -> bool:
    return type(net[0])(address) in net


def _with_routes(request: Request, call: Call, changed: Any) -> Doc:
    owned = ROUTERS.owned(call, request.params["id"], "update")
    routes = wrapped(request.json(), "router").get("routes")
    if not isinstance(routes, list):
        raise problem.bad_request(f"Invalid input for routes. Reason: '{routes}' is not a list.")
    new = {**owned, "routes": changed(owned["routes"], routes)}
    router.check_routes(call, new)
    return {"router": ROUTERS.shown(call, ROUTERS.store(call, new))}


def _answer(owned: Doc, port: Doc) -> Doc:
    subnets = [fixed["subnet_id"] for fixed in port["fixed_ips"]]
    return {
        "id": owned["id"],
        "project_id": owned["project_id"],
        "tenant_id": owned["tenant_id"],
        "port_id": port["id"],
        "network_id": port["network_id"],
        "subnet_id": subnets[0],
        "subnet_ids": subnets,
    }
