"""Readers of single values in request bodies: what comes in as JSON goes out as it is stored.

The rule: a reader returns the stored form or raises ``Malformed`` with the reason in Neutron's
words.
"""

from __future__ import annotations

import ipaddress
import re
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_MAC = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}")
_TRUE = {"true", "1"}
_FALSE = {"false", "0"}


class Malformed(Exception):
    """A value that the service does not take; the text is the reason."""


def anything(value: Any) -> Any:
    """Take any value as it is."""
    return value


def text(limit: int = 255) -> Callable[[Any], str]:
    """Read a string of at most ``limit`` characters."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise Malformed(f"'{value}' is not a valid string")
        if len(value) > limit:
            raise Malformed(f"'{value}' exceeds maximum length of {limit}")
        return value

    return read


def boolean(value: Any) -> bool:
    """Read a boolean, also as text or 0 and 1."""
    word = str(value).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise Malformed(f"'{value}' cannot be converted to boolean")


def integer(low: int | None = None, high: int | None = None) -> Callable[[Any], int]:
    """Read a whole number, also as text, between the limits."""

    def read(value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise Malformed(f"'{value}' is not an integer") from None
        if low is not None and number < low:
            raise Malformed(f"'{value}' is too small - must be at least '{low}'")
        if high is not None and number > high:
            raise Malformed(f"'{value}' is too large - must be no larger than '{high}'")
        return number

    return read


def choice(*allowed: Any) -> Callable[[Any], Any]:
    """Read one of the allowed values."""

    def read(value: Any) -> Any:
        if value not in allowed:
            raise Malformed(f"'{value}' is not in {list(allowed)}")
        return value

    return read


def maybe(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Read null, or what ``inner`` reads."""
    return lambda value: None if value is None else inner(value)


def many(inner: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Read a list of what ``inner`` reads; null is the empty list."""

    def read(value: Any) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise Malformed(f"'{value}' is not a list")
        return [inner(each) for each in value]

    return read


def mapping(value: Any) -> dict[str, Any]:
    """Read an object; null is the empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Malformed(f"'{value}' is not a dictionary")
    return value


def identifier(value: Any) -> str:
    """Read a UUID."""
    try:
        uuid.UUID(value)
    except (TypeError, ValueError, AttributeError):
        raise Malformed(f"'{value}' is not a valid UUID") from None
    return str(value)


def address(value: Any) -> str:
    """Read one IP address into its canonical form."""
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise Malformed(f"'{value}' is not a valid IP address") from None


def cidr(value: Any) -> str:
    """Read a network in CIDR form, host bits dropped."""
    try:
        if "/" not in value:
            raise Malformed(f"'{value}' is not a valid CIDR")
        return str(ipaddress.ip_network(value, strict=False))
    except (TypeError, ValueError):
        raise Malformed(f"'{value}' is not a valid IP subnet") from None


def loose_cidr(value: Any) -> str:
    """Read a network or a single address into CIDR form, host bits dropped."""
    try:
        return str(ipaddress.ip_network(value, strict=False))
    except ValueError:
        raise Malformed(f"'{value}' is not a valid IP subnet") from None


def mac(value: Any) -> str:
    """Read a hardware address, lower case with colons."""
    if not isinstance(value, str) or not _MAC.fullmatch(value):
        raise Malformed(f"'{value}' is not a valid MAC address")
    return value.lower().replace("-", ":")
