"""Ports: where something is plugged into a network, with its addresses."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import address, problem, security_group
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import (
    Malformed,
    boolean,
    choice,
    identifier,
    loose_cidr,
    mac,
    many,
    mapping,
    maybe,
    text,
)
from stoker.devcloud.neutron.convert import (
    address as ip,
)
from stoker.devcloud.neutron.network import NETWORKS, PORT
from stoker.devcloud.state import Taken, index

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_VNIC_TYPES = (
    "normal", "direct", "direct-physical", "macvtap", "baremetal", "virtio-forwarder",
    "smart-nic", "vdpa", "accelerator-direct", "accelerator-direct-physical", "remote-managed",
)  # fmt: skip
_ADMINS = (
    "binding:host_id", "binding:profile", "binding:vif_type", "binding:vif_details",
    "propagate_uplink_status", "resource_request",
)  # fmt: skip
_DOMAIN = "openstacklocal."
_TRIES = 16

TRUNK = "network.trunk"
index(TRUNK, "port_id")
index(TRUNK, "sub_port_id", lambda trunk: [sub["port_id"] for sub in trunk["sub_ports"]])
index(PORT, "network_id")
index(PORT, "device_id")
index(PORT, "mac_address")
index(PORT, "network_mac", lambda p: [f"{p['network_id']}/{p['mac_address']}"], unique=True)
index(PORT, "security_group", lambda port: port["security_groups"])


def _fixed_ip(value: Any) -> Doc:
    entry = mapping(value)
    unknown = set(entry) - {"subnet_id", "ip_address"}
    if unknown:
        raise Malformed(f"Invalid data format for fixed IP: '{value}'")
    if entry.get("ip_address"):
        entry["ip_address"] = ip(entry["ip_address"])
    return entry


def _pair(value: Any) -> Doc:
    entry = mapping(value)
    if "ip_address" not in entry:
        raise problem.bad_request(
            "AllowedAddressPair must contain ip_address", "AllowedAddressPairsMissingIP"
        )
    unknown = set(entry) - {"ip_address", "mac_address"}
    if unknown:
        raise Malformed(f"Unrecognized attribute(s) '{', '.join(sorted(unknown))}'")
    if entry.get("mac_address"):
        entry["mac_address"] = mac(entry["mac_address"])
    place = str(entry["ip_address"])
    return {**entry, "ip_address": place if _is_net(place) else ip(place)}


def _is_net(place: str) -> bool:
    """Tell whether a pair's address is a whole network, which is kept as it was written."""
    return "/" in place and bool(loose_cidr(place))


def _pairs(value: Any) -> list[Doc]:
    pairs = many(_pair)(value)
    seen: list[tuple[Any, str]] = []
    for pair in pairs:
        key = (pair.get("mac_address"), pair["ip_address"])
        if key in seen:
            raise problem.bad_request(
                f"Request contains duplicate address pair: mac_address {key[0]} ip_address"
                f" {key[1]}.",
                "DuplicateAddressPairInRequest",
            )
        seen.append(key)
    return pairs


def _dhcp_option(value: Any) -> Doc:
    """Read one option: its name and value, and the version of IP that it is for."""
    entry = mapping(value)
    name, text_ = entry.get("opt_name"), entry.get("opt_value", REQUIRED)
    is_right = (
        isinstance(name, str)
        and bool(name.strip())
        and (text_ is None or isinstance(text_, str))
        and str(entry.get("ip_version", 4)) in ("4", "6")
        and set(entry) <= {"id", "opt_name", "opt_value", "ip_version"}
    )
    if not is_right:
        raise problem.invalid_input(f"No valid key specs matched for: {value}")
    return entry


ATTRIBUTES = {
    "network_id": Attribute(identifier, REQUIRED, put=False),
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "admin_state_up": Attribute(boolean, default=True),
    "mac_address": Attribute(maybe(mac), None),
    "fixed_ips": Attribute(many(_fixed_ip)),
    "device_id": Attribute(maybe(text()), ""),
    "device_owner": Attribute(maybe(text()), ""),
    "security_groups": Attribute(many(text())),
    "port_security_enabled": Attribute(boolean),
    "allowed_address_pairs": Attribute(_pairs, []),
    "extra_dhcp_opts": Attribute(many(_dhcp_option), []),
    "qos_policy_id": Attribute(maybe(identifier), None),
    "dns_name": Attribute(text(), ""),
    "dns_domain": Attribute(text(), ""),
    "binding:vnic_type": Attribute(choice(*_VNIC_TYPES), "normal"),
    "binding:host_id": Attribute(maybe(text()), "", admin=True),
    "binding:profile": Attribute(mapping, {}, service=True),
    "propagate_uplink_status": Attribute(boolean, default=True),
}


def complete(call: Call, doc: Doc) -> Doc:
    """Give a port its MAC, its addresses and its security groups."""
    network = NETWORKS.get(call, doc["network_id"])
    _check_liberties(call, network, doc)
    for name in ("device_id", "device_owner", "binding:host_id"):
        doc[name] = doc[name] or ""
    doc.setdefault("port_security_enabled", network["port_security_enabled"])
    wanted = doc.pop("fixed_ips", None)
    doc |= {"fixed_ips": [], "mac_address": doc["mac_address"] or _new_mac(call, network["id"])}
    doc |= {"security_groups": _groups(call, doc), "revision_number": 1}
    _check_pairs(doc)
    doc["fixed_ips"] = address.assign(call, doc, wanted)
    return _bound({**doc, "qos_network_policy_id": network["qos_policy_id"]})


def change(call: Call, old: Doc, new: Doc) -> Doc:
    """Check a changed port and move its addresses."""
    new = {name: "" if value is None and name in _TEXTS else value for name, value in new.items()}
    if new["mac_address"] != old["mac_address"] and old["binding:host_id"]:
        raise problem.conflict(
            "PortBound",
            f"Unable to complete operation on port {old['id']}, port is already bound, port"
            f" type: ovs, old_mac {old['mac_address']}, new_mac {new['mac_address']}.",
        )
    if new["security_groups"] != old["security_groups"]:
        security_group.check_exist(call, new["security_groups"])
    if new["security_groups"] and not new["port_security_enabled"]:
        raise problem.conflict(
            "PortSecurityPortHasSecurityGroup",
            "Port has security group associated. Cannot disable port security or IP address until"
            " security group is removed.",
        )
    _check_pairs(new)
    if new["fixed_ips"] != old["fixed_ips"]:
        port = {**new, "fixed_ips": old["fixed_ips"]}
        new["fixed_ips"] = address.assign(call, port, new["fixed_ips"])
        release_floating(call, old, new["fixed_ips"])
    return _bound(new)


_TEXTS = ("device_id", "device_owner", "binding:host_id")


def deletable(call: Call, doc: Doc) -> bool:
    """Tell whether a user may delete a port: not while a server has it."""
    return call.is_admin or not doc["device_owner"].startswith(_PLUGGED)


_PLUGGED = ("compute:", "baremetal:", "manila:")


def release(call: Call, doc: Doc) -> None:
    """Refuse for ports that belong to a router, a floating IP or a trunk."""
    if doc["device_owner"] in _MANAGED:
        raise problem.conflict(
            "ServicePortInUse",
            f"Port {doc['id']} cannot be deleted directly via the port API: has device owner"
            f" {doc['device_owner']}.",
        )
    if call.state.count(TRUNK, where={"port_id": doc["id"]}):
        raise problem.conflict(
            "PortInUseAsTrunkParent",
            f"Port {doc['id']} is currently a parent port for trunk.",
        )
    if call.state.count(TRUNK, where={"sub_port_id": doc["id"]}):
        raise problem.conflict(
            "PortInUseAsSubPort", f"Port {doc['id']} is currently a subport for trunk."
        )
    release_floating(call, doc, [])


_MANAGED = {"network:router_interface", "network:router_gateway", "network:floatingip"}


def release_floating(call: Call, port: Doc, left: list[Doc]) -> None:
    """Take floating IPs off those addresses of ``port`` that are not among ``left``."""
    kept = {each["ip_address"] for each in left}
    for floating in call.state.list("network.floatingip", where={"port_id": port["id"]}):
        if floating["fixed_ip_address"] not in kept:
            loose = {"port_id": None, "fixed_ip_address": None, "router_id": None}
            call.state.update("network.floatingip", {**floating, **loose, "status": "DOWN"})


def remove(call: Call, port: Doc) -> None:
    """Delete a port for the service that owns it, whoever that is."""
    release_floating(call, port, [])
    call.state.delete(PORT, port["id"])


def visible(call: Call, doc: Doc) -> bool:
    """Tell whether the caller sees a port: his own, or one on his network."""
    if call.owns(doc):
        return True
    network = call.state.get(NETWORKS.kind, doc["network_id"])
    return network is not None and call.owns(network)


def candidates(call: Call, kind: str) -> list[Doc]:
    """Give the caller's ports and those on his networks."""
    if call.is_admin:
        return call.state.list(kind)
    mine = call.state.list(kind, project=call.project_id)
    networks = [each["id"] for each in call.state.list(NETWORKS.kind, project=call.project_id)]
    others = call.state.list(kind, where={"network_id": networks}) if networks else []
    return mine + [port for port in others if port["project_id"] != call.project_id]


def shown(call: Call, doc: Doc) -> Doc:
    """Add the DNS names; hide what only administrators see."""
    body = {**doc, "dns_assignment": [_assignment(doc, each) for each in doc["fixed_ips"]]}
    if not call.is_admin:
        for name in _ADMINS:
            body.pop(name, None)
    return body


def clash(taken: Taken, doc: Doc) -> Exception:
    """Give the 409 for an address that is another port's."""
    place, _, value = taken.value.rpartition("/")
    if taken.field == "network_mac":
        return problem.mac_in_use(doc["network_id"], value)
    return problem.address_in_use(place, value)


def _by_fixed_ips(doc: Doc, values: list[str]) -> bool:
    """Match ``ip_address=...`` and ``subnet_id=...``: all names, any value of a name."""
    wanted: dict[str, set[str]] = {}
    for value in values:
        name, _, text_ = value.partition("=")
        wanted.setdefault(name, set()).add(text_)
    for name, texts in wanted.items():
        if name == "ip_address_substr":
            found = any(t in each["ip_address"] for each in doc["fixed_ips"] for t in texts)
        else:
            found = any(each.get(name) in texts for each in doc["fixed_ips"])
        if not found:
            return False
    return True


PORTS = Collection(
    singular="port",
    plural="ports",
    path="ports",
    missing=("PortNotFound", "Port {} could not be found."),
    attributes=ATTRIBUTES,
    complete=complete,
    change=change,
    deletable=deletable,
    release=release,
    visible=visible,
    candidates=candidates,
    shown=shown,
    clash=clash,
    computed=("status", "ip_allocation", "qos_network_policy_id"),
    indexed=("network_id", "device_id", "mac_address"),
    filters={"fixed_ips": _by_fixed_ips},
    quota="port",
)


def _check_liberties(call: Call, network: Doc, doc: Doc) -> None:
    """Refuse on others' networks what only their owner may choose."""
    if call.owns(network):
        return
    if doc["mac_address"]:
        raise problem.not_authorized("(rule:create_port and rule:create_port:mac_address)")
    if any(each.get("ip_address") for each in doc.get("fixed_ips") or []):
        raise problem.not_authorized(
            "(rule:create_port and (rule:create_port:fixed_ips and"
            " rule:create_port:fixed_ips:ip_address))"
        )


def _groups(call: Call, doc: Doc) -> list[str]:
    """Give the security groups: those named, or the project's default one."""
    named: list[str] | None = doc.get("security_groups")
    is_services = doc["device_owner"].startswith("network:")
    if named is None:
        if not doc["port_security_enabled"] or is_services:
            return []
        return [security_group.ensure_default(call, doc["project_id"])]
    _check_security(doc)
    security_group.check_exist(call, named)
    return list(dict.fromkeys(named))


def _check_security(doc: Doc) -> None:
    if doc["security_groups"] and not doc["port_security_enabled"]:
        raise problem.bad_request(
            "Port security must be enabled and port must have an IP address in order to use"
            " security groups.",
            "PortSecurityAndIPRequiredForSecurityGroups",
        )


def _check_pairs(doc: Doc) -> None:
    if doc["allowed_address_pairs"] and not doc["port_security_enabled"]:
        raise problem.conflict(
            "AddressPairAndPortSecurityRequired",
            "Port Security must be enabled in order to have allowed address pairs on a port.",
        )
    for pair in doc["allowed_address_pairs"]:
        pair["mac_address"] = pair.get("mac_address") or doc["mac_address"]


def _new_mac(call: Call, network_id: str) -> str:
    for _ in range(_TRIES):
        tail = secrets.token_hex(3)
        found = f"fa:16:3e:{tail[:2]}:{tail[2:4]}:{tail[4:]}"
        if not call.state.count(PORT, where={"network_mac": f"{network_id}/{found}"}):
            return found
    raise problem.conflict(
        "MacAddressGenerationFailure",
        f"Unable to generate unique mac on network {network_id}.",
    )


def _bound(doc: Doc) -> Doc:
    """Give the port with the state that follows from where it is bound."""
    is_bound = bool(doc["binding:host_id"])
    doc["status"] = "ACTIVE" if is_bound and doc["admin_state_up"] else "DOWN"
    doc["binding:vif_type"] = "ovs" if is_bound else "unbound"
    doc["binding:vif_details"] = {"port_filter": True} if is_bound else {}
    doc["ip_allocation"] = "immediate"
    return doc


def _assignment(doc: Doc, fixed: Doc) -> Doc:
    text_ = fixed["ip_address"]
    host = doc["dns_name"] or "host-" + text_.replace(".", "-").replace(":", "-")
    return {"ip_address": text_, "hostname": host, "fqdn": f"{host}.{_DOMAIN}"}
