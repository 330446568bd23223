"""Addresses: gateways, pools and the order in which addresses are tried."""

from __future__ import annotations

import ipaddress
from itertools import islice

import pytest

from stoker.devcloud.neutron.addressing import (
    Pool,
    default_gateway,
    default_pools,
    eui64,
    walk,
    windows,
)


def ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(text)


@pytest.mark.parametrize(
    ("cidr", "gateway", "pools"),
    [
        ("10.0.0.0/24", "10.0.0.1", [("10.0.0.2", "10.0.0.254")]),
        ("10.0.0.0/24", "10.0.0.9", [("10.0.0.1", "10.0.0.8"), ("10.0.0.10", "10.0.0.254")]),
        ("10.0.0.0/24", "10.0.0.254", [("10.0.0.1", "10.0.0.253")]),
        ("10.0.0.0/24", None, [("10.0.0.1", "10.0.0.254")]),
        ("10.0.0.4/31", None, [("10.0.0.4", "10.0.0.5")]),
        ("fd00::/64", "fd00::1", [("fd00::2", "fd00::ffff:ffff:ffff:ffff")]),
    ],
)
def test_the_default_pools_leave_out_network_broadcast_and_gateway(
    cidr: str, gateway: str | None, pools: list[tuple[str, str]]
) -> None:
    found = default_pools(ipaddress.ip_network(cidr), ip(gateway) if gateway else None)
    assert [(str(pool.start), str(pool.end)) for pool in found] == pools


def test_the_default_gateway_is_the_first_host() -> None:
    assert str(default_gateway(ipaddress.ip_network("10.0.0.0/24"))) == "10.0.0.1"


def test_a_walk_starts_behind_the_last_address_and_visits_each_once() -> None:
    pools = (Pool(ip("10.0.0.2"), ip("10.0.0.4")), Pool(ip("10.0.0.8"), ip("10.0.0.9")))
    assert [str(a)[-1] for a in walk(pools, ip("10.0.0.3"))] == ["4", "8", "9", "2", "3"]
    assert [str(a)[-1] for a in walk(pools, ip("10.0.0.9"))] == ["2", "3", "4", "8", "9"]
    assert [str(a)[-1] for a in walk(pools, None)] == ["2", "3", "4", "8", "9"]


def test_a_huge_pool_is_walked_lazily() -> None:
    pools = default_pools(ipaddress.ip_network("fd00::/64"), None)
    first, second = islice(windows(walk(pools, None), 3), 2)
    assert [str(a) for a in first + second] == ["fd00::1", "fd00::2", "fd00::3", "fd00::4"]


def test_an_eui64_address_follows_from_the_mac() -> None:
    address = eui64(ipaddress.ip_network("2001:db8::/64"), "fa:16:3e:01:02:03")
    assert str(address) == "2001:db8::f816:3eff:fe01:203"
