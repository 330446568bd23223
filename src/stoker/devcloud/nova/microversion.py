"""Nova's microversions: which one a request asks for, and how it compares.

The rule: without a header it is 2.1; ``latest`` is the highest known; what is beyond is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FORM = re.compile(r"([1-9]\d*)\.([1-9]\d*|0)")


class Microversion(NamedTuple):
    """A version; compares as a tuple does."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


LOWEST = Microversion(2, 1)
HIGHEST = Microversion(2, 96)


class Unreadable(Exception):
    """The header is not a version."""


class Unsupported(Exception):
    """The version is one that this service does not speak."""


def requested(generic: str | None, legacy: str | None) -> Microversion:
    """Read the two headers, ``OpenStack-API-Version`` before Nova's own older one."""
    wanted = _compute_part(generic) or legacy
    if wanted is None:
        return LOWEST
    wanted = wanted.strip()
    if wanted.lower() == "latest":
        return HIGHEST
    match = _FORM.fullmatch(wanted)
    if match is None:
        raise Unreadable(
            f"API Version String {wanted} is of invalid format."
            " Must be of format MajorNum.MinorNum."
        )
    version = Microversion(int(match[1]), int(match[2]))
    if not LOWEST <= version <= HIGHEST:
        raise Unsupported(
            f"Version {wanted} is not supported by the API."
            f" Minimum is {LOWEST} and maximum is {HIGHEST}."
        )
    return version


def _compute_part(header: str | None) -> str | None:
    """Give the version that a header with several services names for this one."""
    for part in (header or "").split(","):
        service, _, version = part.strip().partition(" ")
        if service.lower() == "compute" and version:
            return version
    return None
