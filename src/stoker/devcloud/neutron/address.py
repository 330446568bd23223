"""The addresses of ports: which are free, and which a port gets.

The rule: an address is given out and its port stored in one transaction, so that no two ports
ever have the same. After an address is freed it comes last in its subnet's turn.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.addressing import eui64, walk, windows
from stoker.devcloud.neutron.subnet_rules import network_of, pools_of
from stoker.devcloud.state import index, schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc, State

PORT, SUBNET = "network.port", "network.subnet"
_WINDOW = 64
_SELF_ADDRESSED = {"slaac", "dhcpv6-stateless"}
_IPV6 = 6


def _keys(port: Doc) -> Iterable[str]:
    return [f"{ip['subnet_id']}/{ip['ip_address']}" for ip in port["fixed_ips"]]


index(PORT, "address", _keys, unique=True)
index(PORT, "ip_address", lambda port: [ip["ip_address"] for ip in port["fixed_ips"]])
index(PORT, "subnet_id", lambda port: [ip["subnet_id"] for ip in port["fixed_ips"]])
schema("CREATE TABLE IF NOT EXISTS network_turn (subnet TEXT PRIMARY KEY, last TEXT NOT NULL)")


def is_self_addressed(subnet: Doc) -> bool:
    """Tell whether ports form their address in ``subnet`` from their MAC."""
    return subnet["ipv6_address_mode"] in _SELF_ADDRESSED


def assign(call: Call, port: Doc, wanted: list[Doc] | None) -> list[Doc]:
    """Give the fixed IPs of a port: those ``wanted``, or by Neutron's choice where it is None."""
    subnets = call.state.list(SUBNET, where={"network_id": port["network_id"]})
    subnets = [subnet for subnet in subnets if _serves(subnet, port)]
    if wanted is None:
        return _chosen(call, port, subnets)
    given: list[Doc] = []
    for each in sorted(wanted, key=lambda ip: not ip.get("ip_address")):
        given.append(_wanted(call, port, subnets, each, given))
    return given


def holder(state: State, subnet_id: str, address: str) -> Doc | None:
    """Give the port that has an address, or None."""
    found = state.list(PORT, where={"address": f"{subnet_id}/{address}"})
    return found[0] if found else None


def _serves(subnet: Doc, port: Doc) -> bool:
    types = subnet["service_types"]
    return not types or port["device_owner"] in types


def _chosen(call: Call, port: Doc, subnets: list[Doc]) -> list[Doc]:
    """One address of the first IPv4 subnet with room, one of IPv6, and the self-formed ones."""
    given = [
        _entry(subnet, str(eui64(network_of(subnet), port["mac_address"])))
        for subnet in subnets
        if is_self_addressed(subnet)
    ]
    for version in (4, _IPV6):
        fitting = [s for s in subnets if s["ip_version"] == version and not is_self_addressed(s)]
        if not fitting:
            continue
        entry = _first_free(call.state, fitting)
        if entry is None:
            raise problem.no_more_addresses(port["network_id"])
        given.insert(0 if version != _IPV6 else len(given), entry)
    return given


def _first_free(state: State, subnets: list[Doc]) -> Doc | None:
    for subnet in subnets:
        address = _free(state, subnet)
        if address is not None:
            return _entry(subnet, address)
    return None


def _free(state: State, subnet: Doc) -> str | None:
    """Give the next free address of ``subnet`` and move its turn, or None when it is full."""
    rows = state.rows("SELECT last FROM network_turn WHERE subnet = ?", (subnet["id"],))
    last = ipaddress.ip_address(rows[0][0]) if rows else None
    for window in windows(walk(pools_of(subnet), last), _WINDOW):
        texts = [str(address) for address in window]
        keys = [f"{subnet['id']}/{address}" for address in texts]
        ports = state.list(PORT, where={"address": keys})
        taken = {ip["ip_address"] for port in ports for ip in port["fixed_ips"]}
        for address in texts:
            if address not in taken:
                sql = "INSERT OR REPLACE INTO network_turn (subnet, last) VALUES (?, ?)"
                state.execute(sql, (subnet["id"], address))
                return address
    return None


def forget(state: State, subnet_id: str) -> None:
    """Drop what is remembered of a subnet that goes."""
    state.execute("DELETE FROM network_turn WHERE subnet = ?", (subnet_id,))


def _wanted(call: Call, port: Doc, subnets: list[Doc], want: Doc, given: list[Doc]) -> Doc:
    subnet = _subnet(call, port, subnets, want)
    if want.get("ip_address"):
        return _exact(call, port, subnet, want["ip_address"], given)
    assert subnet is not None  # noqa: S101 - a request without address names its subnet
    for mine in port["fixed_ips"]:
        if mine["subnet_id"] == subnet["id"] and mine not in given:
            return dict(mine)
    if is_self_addressed(subnet):
        return _entry(subnet, str(eui64(network_of(subnet), port["mac_address"])))
    address = _free(call.state, subnet)
    if address is None:
        raise problem.conflict(
            "IpAddressGenerationFailureForSubnet",
            f"No more IP addresses available for subnet {subnet['id']}.",
        )
    return _entry(subnet, address)


def _subnet(call: Call, port: Doc, subnets: list[Doc], want: Doc) -> Doc:
    """Give the subnet that an entry of ``fixed_ips`` means, by its id or by the address."""
    if want.get("subnet_id"):
        for subnet in subnets:
            if subnet["id"] == want["subnet_id"]:
                return subnet
        if call.state.get(SUBNET, want["subnet_id"]) is None:
            raise problem.missing(
                "SubnetNotFound", f"Subnet {want['subnet_id']} could not be found."
            )
        raise problem.invalid_input(
            f"Failed to create port on network {port['network_id']}, because fixed_ips"
            f" included invalid subnet {want['subnet_id']}"
        )
    if not want.get("ip_address"):
        raise problem.invalid_input("IP allocation requires subnet_id or ip_address")
    address = ipaddress.ip_address(want["ip_address"])
    for subnet in subnets:
        if address in network_of(subnet):
            return subnet
    raise problem.bad_request(
        f"IP address {address} is not a valid IP for any of the subnets on the specified network.",
        "InvalidIpForNetwork",
    )


def _exact(call: Call, port: Doc, subnet: Doc, text: str, given: list[Doc]) -> Doc:
    address, net = ipaddress.ip_address(text), network_of(subnet)
    reserved = net.version != _IPV6 and net.num_addresses > 2 and address in (net[0], net[-1])  # noqa: PLR2004
    if address not in net or reserved:
        raise problem.bad_request(
            f"IP address {address} is not a valid IP for the specified subnet.",
            "InvalidIpForSubnet",
        )
    if any(each["ip_address"] == str(address) for each in given):
        raise problem.bad_request(f"Duplicate IP address '{address}'.")
    other = holder(call.state, subnet["id"], str(address))
    if other is not None and other["id"] != port["id"]:
        raise problem.address_in_use(subnet["id"], str(address))
    return _entry(subnet, str(address))


def _entry(subnet: Doc, address: str) -> dict[str, Any]:
    return {"subnet_id": subnet["id"], "ip_address": address}
