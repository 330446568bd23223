"""What a subnet's body must fulfil: CIDR against version, gateway, pools, routes, other subnets.

The rule: pure checks of values; a breach is raised as the problem that Neutron answers with.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.addressing import (
    Address,
    Network,
    Pool,
    assignable,
    default_gateway,
    default_pools,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNSPECIFIED = object()
_IPV4 = 4


def network_of(subnet: Mapping[str, Any]) -> Network:
    """Give the CIDR of ``subnet`` as a value."""
    return ipaddress.ip_network(subnet["cidr"])


def pools_of(subnet: Mapping[str, Any]) -> tuple[Pool, ...]:
    """Give the allocation pools of ``subnet`` as values, in their order."""
    return tuple(
        Pool(ipaddress.ip_address(pool["start"]), ipaddress.ip_address(pool["end"]))
        for pool in subnet["allocation_pools"]
    )


def check_version(subnet: Mapping[str, Any]) -> None:
    """Refuse a CIDR of another IP version, and IPv6 modes on IPv4."""
    version = subnet["ip_version"]
    if network_of(subnet).version != version:
        raise problem.invalid_input(
            f"cidr '{subnet['cidr']}' does not match the ip_version '{version}'"
        )
    modes = (subnet["ipv6_ra_mode"], subnet["ipv6_address_mode"])
    if version == _IPV4 and any(modes):
        raise problem.invalid_input(
            "ipv6_ra_mode or ipv6_address_mode cannot be set when ip_version is 4"
        )
    if all(modes) and modes[0] != modes[1]:
        raise problem.invalid_input(
            f"ipv6_ra_mode set to '{modes[0]}' with ipv6_address_mode set to '{modes[1]}'"
            " is not valid. If both attributes are set, they must be the same value"
        )
    if any(modes) and not subnet["enable_dhcp"]:
        raise problem.invalid_input(
            "ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False"
        )


def check_overlap(subnet: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> None:
    """Refuse a CIDR that overlaps with that of another subnet of the same network."""
    net = network_of(subnet)
    for other in others:
        if other["id"] != subnet["id"] and _overlap(net, network_of(other)):
            raise problem.invalid_input(
                f"Requested subnet with cidr: {net} for network: {subnet['network_id']}"
                " overlaps with another subnet"
            )


def gateway(net: Network, given: Any) -> str | None:
    """Give the stored gateway: the default when none was given, None when null was."""
    if given is UNSPECIFIED:
        return str(default_gateway(net))
    if given is None:
        return None
    address = ipaddress.ip_address(given)
    if address.version != net.version or address in _reserved(net):
        raise problem.invalid_input("Gateway is not valid on subnet")
    return str(address)


def pools(
    net: Network, given: list[dict[str, Any]] | None, gateway_ip: str | None
) -> list[dict[str, str]]:
    """Give the stored allocation pools: checked, or the whole subnet but the gateway."""
    taken = ipaddress.ip_address(gateway_ip) if gateway_ip else None
    if given is None:
        return [_stored(pool) for pool in default_pools(net, taken)]
    read = [_read_pool(net, pool) for pool in given]
    for at, pool in enumerate(read):
        for other in read[at + 1 :]:
            if pool.overlaps(other):
                raise problem.conflict(
                    "OverlappingAllocationPools",
                    f"Found overlapping allocation pools: {_text(pool)} {_text(other)} for"
                    f" subnet {net}.",
                )
        check_gateway_outside(pool, taken)
    return [_stored(pool) for pool in read]


def check_gateway_outside(pool: Pool, taken: Address | None) -> None:
    """Refuse a pool that holds the gateway's address."""
    if taken is not None and taken in pool:
        raise problem.conflict(
            "GatewayConflictWithAllocationPools",
            f"Gateway ip {taken} conflicts with allocation pool {_text(pool)}.",
        )


def check_routes(subnet: Mapping[str, Any]) -> None:
    """Refuse host routes and name servers of another IP version."""
    version = subnet["ip_version"]
    for route in subnet["host_routes"]:
        try:
            same = (
                ipaddress.ip_network(route["destination"], strict=False).version
                == ipaddress.ip_address(route["nexthop"]).version
                == version
            )
        except (KeyError, TypeError, ValueError):
            raise problem.bad_request(
                f"Invalid input for host_routes. Reason: Invalid data format for hostroute:"
                f" '{route}'."
            ) from None
        if not same:
            raise problem.invalid_input(
                f"destination or nexthop of host route {route} does not match the ip_version"
                f" '{version}'"
            )
    for server in subnet["dns_nameservers"]:
        if ipaddress.ip_address(server).version != version:
            raise problem.invalid_input(
                f"dns_nameserver '{server}' does not match the ip_version '{version}'"
            )


def _read_pool(net: Network, given: Mapping[str, Any]) -> Pool:
    try:
        pool = Pool(ipaddress.ip_address(given["start"]), ipaddress.ip_address(given["end"]))
    except (KeyError, TypeError, ValueError):
        raise problem.bad_request(
            f"Invalid input for allocation_pools. Reason: Invalid data format for IP pool:"
            f" '{given}'."
        ) from None
    if {pool.start.version, pool.end.version} != {net.version} or int(pool.end) < int(pool.start):
        raise problem.bad_request(
            f"The allocation pool {_text(pool)} is not valid.", "InvalidAllocationPool"
        )
    first, last = assignable(net)
    if int(pool.start) < int(first) or int(pool.end) > int(last):
        raise problem.bad_request(
            f"The allocation pool {_text(pool)} spans beyond the subnet cidr {net}.",
            "OutOfBoundsAllocationPool",
        )
    return pool


def _reserved(net: Network) -> set[Address]:
    """Give the addresses in ``net`` that no gateway may have."""
    if net.version != _IPV4 or net.prefixlen >= net.max_prefixlen - 1:
        return set()
    return {net[0], net[-1]}


def _overlap(one: Network, other: Network) -> bool:
    first, second = Pool(one[0], one[-1]), Pool(other[0], other[-1])
    return one.version == other.version and first.overlaps(second)


def _stored(pool: Pool) -> dict[str, str]:
    return {"start": str(pool.start), "end": str(pool.end)}


def _text(pool: Pool) -> str:
    return f"{pool.start}-{pool.end}"
