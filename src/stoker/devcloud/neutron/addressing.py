"""Where an address may come from: CIDRs, allocation pools, gateways.

The rule: values in, values out. Which addresses are taken is the caller's knowledge.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_POINT_TO_POINT = 2  # a /31 and a /32 have neither network nor broadcast address
_EUI64_FLIP = 0x0200_0000_0000_0000
_EUI64_MIDDLE = 0xFFFE


@dataclass(frozen=True, slots=True)
class Pool:
    """A run of addresses, both ends included."""

    start: Address
    end: Address

    def __contains__(self, address: Address) -> bool:
        return int(self.start) <= int(address) <= int(self.end)

    def overlaps(self, other: Pool) -> bool:
        return int(self.start) <= int(other.end) and int(other.start) <= int(self.end)


def default_gateway(net: Network) -> Address:
    """Give the address that Neutron takes for the gateway when none is named."""
    return net[0] if net.num_addresses <= _POINT_TO_POINT else net[1]


def default_pools(net: Network, gateway: Address | None) -> tuple[Pool, ...]:
    """Give all assignable addresses of ``net`` but the gateway's, as pools in order."""
    first, last = assignable(net)
    if gateway is None or not int(first) <= int(gateway) <= int(last):
        return (Pool(first, last),)
    pools = []
    if int(gateway) > int(first):
        pools.append(Pool(first, gateway - 1))
    if int(gateway) < int(last):
        pools.append(Pool(gateway + 1, last))
    return tuple(pools)


def assignable(net: Network) -> tuple[Address, Address]:
    """Give the first and the last address of ``net`` that a port may have."""
    if net.num_addresses <= _POINT_TO_POINT:
        return net[0], net[-1]
    last = net[-2] if isinstance(net, ipaddress.IPv4Network) else net[-1]
    return net[1], last


def walk(pools: Iterable[Pool], after: Address | None) -> Iterator[Address]:
    """Yield each address of ``pools`` once: those behind ``after`` first, then the others."""
    ordered = tuple(pools)
    start = 0 if after is None else int(after) + 1
    for pool in ordered:
        yield from _run(pool, max(start, int(pool.start)), int(pool.end))
    for pool in ordered:
        yield from _run(pool, int(pool.start), min(start - 1, int(pool.end)))


def windows(addresses: Iterator[Address], size: int) -> Iterator[list[Address]]:
    """Cut ``addresses`` into lists: first of one address, then of ``size``."""
    window = list(islice(addresses, 1))
    while window:
        yield window
        window = list(islice(addresses, size))


def eui64(net: Network, mac: str) -> Address:
    """Give the address that a port with ``mac`` forms for itself in the IPv6 ``net``."""
    number = int(mac.replace(":", ""), 16)
    high, low = number >> 24, number & 0xFF_FFFF
    interface = (high << 40 | _EUI64_MIDDLE << 24 | low) ^ _EUI64_FLIP
    return ipaddress.IPv6Address(int(net.network_address) | interface)


def _run(pool: Pool, first: int, last: int) -> Iterator[Address]:
    kind = type(pool.start)
    return (kind(number) for number in range(first, last + 1))
