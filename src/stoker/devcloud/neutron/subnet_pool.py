"""Subnet pools: prefixes out of which subnets are cut."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.addressing import Network, Pool
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection, everybodys
from stoker.devcloud.neutron.convert import boolean, cidr, integer, many, maybe, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_LONGEST = {4: 32, 6: 128}
_SHORTEST = {4: 8, 6: 64}

ATTRIBUTES = {
    "name": Attribute(text(), REQUIRED),
    "description": Attribute(text(), ""),
    "prefixes": Attribute(many(cidr), REQUIRED),
    "default_quota": Attribute(maybe(integer(0)), None),
    "default_prefixlen": Attribute(maybe(integer(0)), None),
    "min_prefixlen": Attribute(maybe(integer(0)), None),
    "max_prefixlen": Attribute(maybe(integer(0)), None),
    "is_default": Attribute(boolean, default=False, admin=True),
    "shared": Attribute(boolean, default=False, put=False, admin=True),
    "address_scope_id": Attribute(maybe(text()), None),
}


def complete(_call: Call, doc: Doc) -> Doc:
    """Work out version and lengths."""
    versions = {ipaddress.ip_network(prefix).version for prefix in doc["prefixes"]}
    if len(versions) != 1:
        raise problem.bad_request(
            "Illegal prefix bounds: mixed or no prefixes", "IllegalSubnetPool"
        )
    version = versions.pop()
    doc["ip_version"] = version
    doc["min_prefixlen"] = doc["min_prefixlen"] or _SHORTEST[version]
    doc["max_prefixlen"] = doc["max_prefixlen"] or _LONGEST[version]
    doc["default_prefixlen"] = doc["default_prefixlen"] or doc["min_prefixlen"]
    _check_lengths(doc)
    return doc


def change(_call: Call, old: Doc, new: Doc) -> Doc:
    """Check a changed pool; prefixes may only grow."""
    kept = [ipaddress.ip_network(prefix) for prefix in new["prefixes"]]
    for prefix in old["prefixes"]:
        net = ipaddress.ip_network(prefix)
        if not any(_inside(net, outer) for outer in kept):
            raise problem.bad_request(
                "Illegal update to prefixes: Existing prefixes must be a subset of the new"
                " prefixes",
                "IllegalSubnetPoolPrefixUpdate",
            )
    _check_lengths(new)
    return new


def release(call: Call, doc: Doc) -> None:
    """Refuse while subnets are cut out of it."""
    if call.state.count("network.subnet", where={"subnetpool_id": doc["id"]}):
        raise problem.conflict(
            "SubnetPoolDeleteError",
            "Unable to delete subnet pool: Subnet pool has existing allocations.",
        )


POOLS = Collection(
    singular="subnetpool",
    plural="subnetpools",
    path="subnetpools",
    missing=("SubnetPoolNotFound", "Subnet pool {} could not be found."),
    attributes=ATTRIBUTES,
    complete=complete,
    change=change,
    release=release,
    candidates=everybodys,
    computed=("ip_version",),
    quota="subnetpool",
)


def carve(call: Call, subnet: Doc, siblings: Iterable[Doc]) -> Doc:
    """Give ``subnet`` with its CIDR: its own, or one cut out of its pool.

    ``siblings`` are the other subnets of its network; with a pool, all must come from it.
    """
    pool = _pool_of(call, subnet)
    for other in siblings:
        if (other["subnetpool_id"] or None) != (pool["id"] if pool else None) and (
            int(subnet.get("ip_version") or 4) == other["ip_version"]
        ):
            raise problem.bad_request(
                "Subnets hosted on the same network must be allocated from the same subnet pool.",
                "NetworkSubnetPoolAffinityError",
            )
    if pool is None:
        if subnet["cidr"] is None:
            raise problem.bad_request(
                "Bad subnets request: a subnetpool must be specified in the absence of a cidr.",
                "BadRequest",
            )
        return subnet
    taken = [
        ipaddress.ip_network(each["cidr"])
        for each in call.state.list("network.subnet", where={"subnetpool_id": pool["id"]})
    ]
    return {**subnet, "subnetpool_id": pool["id"], "cidr": str(_cut(pool, subnet, taken))}


def _pool_of(call: Call, subnet: Doc) -> Doc | None:
    if subnet["subnetpool_id"]:
        return POOLS.get(call, subnet["subnetpool_id"])
    if not subnet["use_default_subnetpool"]:
        return None
    version = int(subnet.get("ip_version") or 4)
    for pool in call.state.list(POOLS.kind):
        if pool["is_default"] and pool["ip_version"] == version:
            return pool
    raise problem.bad_request(f"No default subnetpool found for IPv{version}.", "BadRequest")


def _cut(pool: Doc, subnet: Doc, taken: list[Network]) -> Network:
    if subnet["cidr"]:
        wanted = ipaddress.ip_network(subnet["cidr"])
        inside = any(_inside(wanted, ipaddress.ip_network(each)) for each in pool["prefixes"])
        if not inside or any(_meet(wanted, other) for other in taken):
            raise _none_left("Cannot allocate requested subnet from the available set of prefixes")
        return wanted
    length = subnet["prefixlen"] or pool["default_prefixlen"]
    _check_length(pool, length)
    for prefix in pool["prefixes"]:
        outer = ipaddress.ip_network(prefix)
        if length < outer.prefixlen:
            continue
        for candidate in outer.subnets(new_prefix=length):
            if not any(_meet(candidate, other) for other in taken):
                return candidate
    raise _none_left(f"Insufficient prefix space to allocate subnet size /{length}")


def _check_length(pool: Doc, length: int) -> None:
    if length < pool["min_prefixlen"]:
        raise problem.bad_request(
            f"Unable to allocate subnet with prefix length {length}, minimum allowed prefix is"
            f" {pool['min_prefixlen']}.",
            "MinPrefixSubnetAllocationError",
        )
    if length > pool["max_prefixlen"]:
        raise problem.bad_request(
            f"Unable to allocate subnet with prefix length {length}, maximum allowed prefix is"
            f" {pool['max_prefixlen']}.",
            "MaxPrefixSubnetAllocationError",
        )


def _check_lengths(doc: Doc) -> None:
    lengths = (doc["min_prefixlen"], doc["default_prefixlen"], doc["max_prefixlen"])
    if list(lengths) != sorted(lengths) or lengths[2] > _LONGEST[doc["ip_version"]]:
        raise problem.bad_request(
            f"Illegal prefix bounds: min {lengths[0]}, default {lengths[1]}, max {lengths[2]}.",
            "IllegalSubnetPoolPrefixBounds",
        )


def _none_left(text: str) -> Exception:
    return problem.bad_request(f"Failed to allocate subnet: {text}.", "SubnetAllocationError")


def _inside(inner: Network, outer: Network) -> bool:
    whole: Any = Pool(outer[0], outer[-1])
    return inner.version == outer.version and inner[0] in whole and inner[-1] in whole


def _meet(one: Network, other: Network) -> bool:
    return one.version == other.version and Pool(one[0], one[-1]).overlaps(
        Pool(other[0], other[-1])
    )
