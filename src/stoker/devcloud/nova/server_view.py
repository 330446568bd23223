"""How a server looks to a client: which fields, at which microversion, to whom.

The rule: nothing here changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron.network import NETWORKS
from stoker.devcloud.neutron.security_group import GROUP as SECURITY_GROUP
from stoker.devcloud.nova import host, lifecycle, plug

if TYPE_CHECKING:
    from stoker.devcloud.nova.ask import Ask
    from stoker.devcloud.state import Doc

_EXTENDED, _LOCKED, _HOST_STATUS, _DESCRIBED, _TAGGED, _FLAVOR_WITHIN = 3, 9, 16, 19, 26, 47
_TRUSTED, _GROUPS, _LOCK_REASON, _HOSTNAME, _PINNED = 63, 71, 73, 90, 96
_EMBEDDED = ("vcpus", "ram", "disk", "ephemeral", "swap")


def brief(ask: Ask, server: Doc) -> Doc:
    """Give a server as short lists show it."""
    return {"id": server["id"], "name": server["name"], "links": _links(ask, server)}


def shown(ask: Ask, server: Doc, *, is_alone: bool = True) -> Doc:
    """Give a server as ``show`` and detailed lists show it."""
    body = {
        **brief(ask, server),
        "status": lifecycle.status(server),
        "tenant_id": server["project_id"],
        "user_id": server["user_id"],
        "metadata": server["metadata"],
        "hostId": host.host_id(server["project_id"], server["host"]),
        "image": _image(ask, server),
        "flavor": _flavor(ask, server),
        "created": server["created"],
        "updated": server["updated"],
        "accessIPv4": server["accessIPv4"],
        "accessIPv6": server["accessIPv6"],
        "config_drive": server["config_drive"],
        "key_name": server["key_name"],
        "OS-DCF:diskConfig": server["disk_config"],
        "OS-EXT-AZ:availability_zone": host.ZONE if server["host"] else "",
        "OS-EXT-STS:task_state": server["task_state"],
        "OS-EXT-STS:vm_state": server["vm_state"],
        "OS-EXT-STS:power_state": server["power_state"],
        "OS-SRV-USG:launched_at": server["launched_at"],
        "OS-SRV-USG:terminated_at": None,
        "os-extended-volumes:volumes_attached": _volumes(ask, server),
        **_network_part(ask, server),
        **_versioned(ask, server, is_alone=is_alone),
        **(_for_admins(ask, server) if ask.caller.is_admin else {}),
    }
    if server["fault"] and body["status"] in ("ERROR", "DELETED"):
        details = {"details": server["fault"]["message"]} if ask.caller.is_admin else {}
        body["fault"] = {**server["fault"], **details}
    else:
        body["progress"] = server["progress"]
    return body


def _links(ask: Ask, server: Doc) -> list[dict[str, str]]:
    return ask.links(f"servers/{server['id']}")


def _image(ask: Ask, server: Doc) -> Doc | str:
    if not server["image_id"]:
        return ""
    link = {"rel": "bookmark", "href": f"{ask.cloud.url}/compute/images/{server['image_id']}"}
    return {"id": server["image_id"], "links": [link]}


def _flavor(ask: Ask, server: Doc) -> Doc:
    flavor = server["flavor"]
    if not ask.since(_FLAVOR_WITHIN):
        link = {"rel": "bookmark", "href": f"{ask.cloud.url}/compute/flavors/{flavor['id']}"}
        return {"id": flavor["id"], "links": [link]}
    within = {name: flavor[name] for name in _EMBEDDED}
    return {**within, "original_name": flavor["name"], "extra_specs": flavor["extra_specs"]}


def _volumes(ask: Ask, server: Doc) -> list[Doc]:
    return [
        {"id": each["volume_id"]}
        | ({"delete_on_termination": each["delete_on_termination"]} if ask.since(_EXTENDED) else {})
        for each in server["volumes"]
    ]


def _network_part(ask: Ask, server: Doc) -> Doc:
    ports = plug.of(ask.as_service, server["id"])
    groups = dict.fromkeys(id for port in ports for id in port["security_groups"])
    found = (ask.state.get(SECURITY_GROUP, id) for id in groups)
    names = [{"name": group["name"]} for group in found if group is not None]
    body: Doc = {"addresses": addresses(ask, ports)}
    return {**body, "security_groups": names} if names else body


def addresses(ask: Ask, ports: list[Doc]) -> dict[str, list[Doc]]:
    """Give the addresses of ports under their networks' names, floating ones too."""
    found: dict[str, list[Doc]] = {}
    names: dict[str, str] = {}
    for port in ports:
        network_id = port["network_id"]
        if network_id not in names:
            network = ask.state.get(NETWORKS.kind, network_id)
            names[network_id] = network["name"] if network else network_id
        entries = found.setdefault(names[network_id], [])
        floating = ask.state.list("network.floatingip", where={"port_id": port["id"]})
        for fixed in port["fixed_ips"]:
            entries.append(_address(port, fixed["ip_address"], "fixed"))
            entries += [
                _address(port, each["floating_ip_address"], "floating")
                for each in floating
                if each["fixed_ip_address"] == fixed["ip_address"]
            ]
    return found


def _address(port: Doc, address: str, type: str) -> Doc:
    version = 6 if ":" in address else 4
    body = {"version": version, "addr": address, "OS-EXT-IPS:type": type}
    return {**body, "OS-EXT-IPS-MAC:mac_addr": port["mac_address"]}


def _versioned(ask: Ask, server: Doc, *, is_alone: bool) -> Doc:
    """Give the fields that came with a microversion."""
    came = {
        _LOCKED: {"locked": server["locked"]},
        _DESCRIBED: {"description": server["description"]},
        _TAGGED: {"tags": server["tags"]},
        _TRUSTED: {"trusted_image_certificates": None},
        _LOCK_REASON: {"locked_reason": server["locked_reason"]},
        _HOSTNAME: {"OS-EXT-SRV-ATTR:hostname": server["hostname"]},
        _PINNED: {"pinned_availability_zone": server["pinned_zone"]},
    }
    body: Doc = {}
    for minor, fields in came.items():
        if ask.since(minor):
            body |= fields
    if ask.since(_GROUPS) and is_alone:
        body["server_groups"] = [server["group_id"]] if server["group_id"] else []
    return body


def _for_admins(ask: Ask, server: Doc) -> Doc:
    body: Doc = {
        "OS-EXT-SRV-ATTR:host": server["host"] or None,
        "OS-EXT-SRV-ATTR:hypervisor_hostname": server["host"] or None,
        "OS-EXT-SRV-ATTR:instance_name": f"instance-{server['id'][:8]}",
    }
    if ask.since(_EXTENDED):
        body |= {
            "OS-EXT-SRV-ATTR:hostname": server["hostname"],
            "OS-EXT-SRV-ATTR:reservation_id": server["reservation_id"],
            "OS-EXT-SRV-ATTR:launch_index": server["launch_index"],
            "OS-EXT-SRV-ATTR:kernel_id": "",
            "OS-EXT-SRV-ATTR:ramdisk_id": "",
            "OS-EXT-SRV-ATTR:root_device_name": "/dev/vda",
            "OS-EXT-SRV-ATTR:user_data": server["user_data"],
        }
    if ask.since(_HOST_STATUS):
        body["host_status"] = "UP" if server["host"] else ""
    return body
