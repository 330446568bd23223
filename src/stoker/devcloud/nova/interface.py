"""A server's network interfaces: listed, attached, detached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.exchange import Reply
from stoker.devcloud.neutron import agenda
from stoker.devcloud.neutron.call import Call
from stoker.devcloud.neutron.network import PORT
from stoker.devcloud.nova import lifecycle, plug, problem
from stoker.devcloud.nova.ask import Ask, compute_route
from stoker.devcloud.nova.server import KIND, find, store
from stoker.devcloud.nova.server_request import Nic, read_nic
from stoker.devcloud.nova.servers import check_unlocked

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc

_PATH = "servers/{server_id}/os-interface"
_DETACHING = "compute.detaching"
_TAGGED = 70


@compute_route("GET", _PATH)
def list_interfaces(ask: Ask) -> Doc:
    """Give a server's interfaces."""
    ports = plug.of(ask.as_service, find(ask)["id"])
    return {"interfaceAttachments": [_shown(ask, port) for port in ports]}


@compute_route("GET", f"{_PATH}/{{port_id}}")
def show_interface(ask: Ask) -> Doc:
    """Give one interface."""
    return {"interfaceAttachment": _shown(ask, _port(ask, find(ask)))}


@compute_route("POST", _PATH)
def attach_interface(ask: Ask) -> Doc:
    """Plug a port, or a new port on a network, into a server."""
    server = find(ask)
    check_unlocked(ask, server)
    _check(server, "attach_interface")
    port = _attached(ask, server, _wanted(ask))
    return {"interfaceAttachment": _shown(ask, port)}


def _wanted(ask: Ask) -> Doc:
    body = ask.body("interfaceAttachment")
    fixed = body.get("fixed_ips") or []
    if body.get("net_id") and body.get("port_id"):
        raise problem.bad_request("Must not input both network_id and port_id")
    if fixed and not body.get("net_id"):
        raise problem.bad_request("Must input network_id when request IP address")
    return {
        "port": body.get("port_id"),
        "uuid": body.get("net_id"),
        "fixed_ip": fixed[0].get("ip_address") if fixed else None,
    }


def _attached(ask: Ask, server: Doc, wanted: Doc) -> Doc:
    if not wanted["port"] and not wanted["uuid"]:
        found = plug.available(ask.as_user)
        if len(found) != 1:
            raise problem.bad_request("Multiple possible networks found, use a Network ID.")
        wanted["uuid"] = found[0]["id"]
    nic = _nic(ask, wanted)
    if nic.port_id:
        port = plug.check_port(ask.as_user, nic.port_id)
        return plug.take(ask.as_service, server, port)
    plug.check_attachable(ask.as_user, nic.network_id)
    port = plug.make(ask.as_service, server, nic.network_id, nic.fixed_ip, [])
    store(ask.cloud, {**server, "own_ports": [*server["own_ports"], port["id"]]})
    return port


def _nic(ask: Ask, wanted: Doc) -> Nic:
    port = wanted["port"]
    if port and ask.state.get(PORT, str(port)) is None:
        raise problem.missing(f"Port id {port} could not be found.")
    return read_nic(ask, wanted)


@compute_route("DELETE", f"{_PATH}/{{port_id}}", status=202)
def detach_interface(ask: Ask) -> Reply:
    """Have a port taken off a server; it stays plugged for as long as that takes.

    A port that is not plugged in is taken off too: Nova finds out later.
    """
    server = find(ask)
    check_unlocked(ask, server)
    _check(server, "detach_interface")
    seconds = ask.cloud.latency.seconds("compute", "detach_interface")
    agenda.put(ask.cloud, _DETACHING, f"{server['id']}/{ask.params['port_id']}", seconds)
    return Reply(status=202)


@agenda.settler(_DETACHING)
def detached(cloud: Cloud, id: str) -> None:
    """End a detaching, if server and port are still joined."""
    server_id, _, port_id = id.partition("/")
    server, port = cloud.state.get(KIND, server_id), cloud.state.get(PORT, port_id)
    if server is None or port is None or port["device_id"] != server_id:
        return
    plug.unplug(Call(cloud, server["project_id"], is_admin=True), server, port)
    left = [each for each in server["own_ports"] if each != port_id]
    store(cloud, {**server, "own_ports": left})


def _port(ask: Ask, server: Doc) -> Doc:
    id = ask.params["port_id"]
    port = ask.state.get(PORT, id)
    if port is None or port["device_id"] != server["id"]:
        raise problem.missing(f"Port id {id} could not be found.")
    return port


def _check(server: Doc, name: str) -> None:
    try:
        lifecycle.check(server, name)
    except lifecycle.NotAllowed as refused:
        raise problem.conflict(str(refused)) from refused


def _shown(ask: Ask, port: Doc) -> Doc:
    body = {
        "port_id": port["id"],
        "net_id": port["network_id"],
        "mac_addr": port["mac_address"],
        "port_state": port["status"],
        "fixed_ips": port["fixed_ips"],
    }
    return {**body, "tag": None} if ask.since(_TAGGED) else body
