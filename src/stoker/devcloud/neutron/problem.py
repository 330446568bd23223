"""Neutron's refusals: its exception names, statuses and texts, one function each.

The rule: code of this service raises what these give and nothing else.
"""

from __future__ import annotations

from stoker.devcloud.refusal import Refusal


def bad_request(message: str, type: str = "HTTPBadRequest") -> Refusal:
    """Give a 400."""
    return Refusal(400, message, type=type)


def invalid_input(message: str) -> Refusal:
    """Give the 400 for values that do not go together."""
    return Refusal(400, f"Invalid input for operation: {message}.", type="InvalidInput")


def conflict(type: str, message: str) -> Refusal:
    """Give a 409."""
    return Refusal(409, message, type=type)


def missing(type: str, message: str) -> Refusal:
    """Give a 404."""
    return Refusal(404, message, type=type)


def not_authorized(rule: str) -> Refusal:
    """Give the 403 that names the policy rule."""
    return Refusal(403, f"{rule} is disallowed by policy", type="PolicyNotAuthorized")


def no_more_addresses(network_id: str) -> Refusal:
    """Give the 409 for a network whose pools are used up."""
    return conflict(
        "IpAddressGenerationFailure",
        f"No more IP addresses available on network {network_id}.",
    )


def address_in_use(subnet_id: str, address: str) -> Refusal:
    """Give the 409 for an address that another port has."""
    return conflict(
        "IpAddressAlreadyAllocated",
        f"IP address {address} already allocated in subnet {subnet_id}",
    )


def mac_in_use(network_id: str, mac: str) -> Refusal:
    """Give the 409 for a hardware address that another port of the network has."""
    return conflict(
        "MacAddressInUse",
        f"Unable to complete operation for network {network_id}. The mac address {mac} is in use.",
    )
