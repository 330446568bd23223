"""Formats of text that properties and parameters may be held to, by Heat's constraint names.

Rule: each check is pure; it returns None, or the text that says what is wrong and what to do.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

Check = Callable[[str], "str | None"]

MAX_NAME: Final = 255
MAX_LABEL: Final = 63
_LABEL: Final = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_MACS: Final = re.compile(
    r"([0-9A-Fa-f]{1,2}:){5}[0-9A-Fa-f]{1,2}|([0-9A-Fa-f]{1,2}-){5}[0-9A-Fa-f]{1,2}"
    r"|([0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}|[0-9A-Fa-f]{12}"
)


def ip_address(value: str) -> str | None:
    """An IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return f"{value!r} is not an IP address; write one such as 192.0.2.10 or 2001:db8::10"
    return None


def network_cidr(value: str) -> str | None:
    """An address with the length of its prefix."""
    try:
        if "/" in value:
            ipaddress.ip_network(value, strict=False)
            return None
    except ValueError:
        pass
    return f"{value!r} is not a CIDR; write one such as 192.0.2.0/24 or 2001:db8::/64"


def ip_or_cidr(value: str) -> str | None:
    """An address, or a CIDR."""
    if ip_address(value) is None or network_cidr(value) is None:
        return None
    return f"{value!r} is neither an IP address nor a CIDR"


def mac_address(value: str) -> str | None:
    """A MAC address in one of the usual spellings."""
    if _MACS.fullmatch(value):
        return None
    return f"{value!r} is not a MAC address; write one such as fa:16:3e:00:00:01"


def dns_name(value: str) -> str | None:
    """A host name, relative or (with a dot at its end) absolute."""
    bare = value.removesuffix(".")
    labels = bare.split(".")
    if not bare or len(value) > MAX_NAME:
        return f"{value!r} is not a DNS name: it must have 1 to {MAX_NAME} characters"
    for label in labels:
        if not _LABEL.fullmatch(label):
            return (
                f"{value!r} is not a DNS name: {label!r} must have 1 to {MAX_LABEL} letters,"
                " digits or hyphens, with no hyphen at an end"
            )
    if len(labels) > 1 and labels[-1].isdigit():
        return f"{value!r} is not a DNS name: its last part is a number"
    return None


def relative_dns_name(value: str) -> str | None:
    """A host name without a dot at its end."""
    if value.endswith("."):
        return f"{value!r} is absolute; leave the dot at its end out"
    return dns_name(value)


def dns_domain(value: str) -> str | None:
    """A domain: absolute, with two labels or more; the empty text removes one."""
    if not value:
        return None
    if not value.endswith("."):
        return f"{value!r} is not a DNS domain; end it with a dot"
    return dns_name(value)


def iso_8601(value: str) -> str | None:
    """A date, or a date and time."""
    for read in (datetime.fromisoformat, date.fromisoformat):
        try:
            read(value)
        except ValueError:
            continue
        return None
    return f"{value!r} is not an ISO 8601 time; write one such as 2030-01-31T18:00:00Z"


def json_text(value: str) -> str | None:
    """Text that is JSON."""
    try:
        json.loads(value)
    except ValueError as e:
        return f"this is not JSON: {e}"
    return None


_CRON_RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7), (0, 59))
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun")
_LATER: Final = ("jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_FIELDS: Final = (2, 4)
_CRON_WORDS: Final[Mapping[int, Mapping[str, int]]] = {
    3: {name: i for i, name in enumerate((*_MONTHS, *_LATER), 1)},
    4: {name: i for i, name in enumerate(_DAYS)},
}


def cron_expression(value: str) -> str | None:
    """Five fields of cron (minute, hour, day, month, weekday), or six with seconds."""
    fields = value.split()
    if len(fields) not in (5, 6):
        return f"{value!r} is not a cron expression: it needs 5 fields, not {len(fields)}"
    for at, text in enumerate(fields):
        for item in text.split(","):
            if not _cron_item(item.lower(), at):
                return f"{value!r} is not a cron expression: {item!r} is not valid there"
    return None


def _cron_item(item: str, at: int) -> bool:
    span, slash, step = item.partition("/")
    if slash and not (step.isdigit() and int(step) > 0):
        return False
    if span == "*" or (span == "?" and at in _DAY_FIELDS):
        return True
    low, high = _CRON_RANGES[at]
    first, dash, last = span.partition("-")
    start = _cron_number(first, at)
    end = _cron_number(last, at) if dash else start
    return low <= start <= end <= high


def _cron_number(text: str, at: int) -> int:
    return int(text) if text.isdigit() else _CRON_WORDS.get(at, {}).get(text, -1)


def _anything(_value: str) -> str | None:
    return None


FORMATS: Final[Mapping[str, Check]] = {
    "ip_addr": ip_address,
    "mac_addr": mac_address,
    "net_cidr": network_cidr,
    "ip_or_cidr": ip_or_cidr,
    "dns_name": dns_name,
    "rel_dns_name": relative_dns_name,
    "dns_domain": dns_domain,
    "iso_8601": iso_8601,
    "json_string": json_text,
    "cron_expression": cron_expression,
    "test_constr": _anything,  # Heat's own test aid; it only takes its time there
}
