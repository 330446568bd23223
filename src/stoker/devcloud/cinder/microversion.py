"""Cinder's microversions: which one a request asks for.

The rule: without a header it is 3.0; ``latest`` is the highest known; what is beyond is refused.
"""

from __future__ import annotations

import re

from stoker.devcloud.cinder import problem
from stoker.devcloud.refusal import Refusal

LOWEST, HIGHEST = 0, 71
_FORM = re.compile(r"([1-9]\d*)\.([1-9]\d*|0)")


def requested(header: str) -> int:
    """Give the minor number that ``OpenStack-API-Version`` asks for.

    Raises:
        Refusal: 400 when it is no version, 406 when this service does not speak it.
    """
    wanted = _part(header)
    if not wanted:
        return LOWEST
    if wanted.lower() == "latest":
        return HIGHEST
    match = _FORM.fullmatch(wanted)
    if match is None:
        raise problem.bad_request(
            f"API Version String {wanted} is of invalid format."
            " Must be of format MajorNum.MinorNum."
        )
    minor = int(match[2])
    if int(match[1]) != 3 or not LOWEST <= minor <= HIGHEST:  # noqa: PLR2004 - the API's name
        raise Refusal(
            406,
            f"Version {wanted} is not supported by the API."
            f" Minimum is 3.{LOWEST} and maximum is 3.{HIGHEST}.",
        )
    return minor


def _part(header: str) -> str:
    """Give the version that a header with several services names for this one."""
    for part in header.split(","):
        service, _, version = part.strip().partition(" ")
        if service.lower() == "volume":
            return version.strip()
    return ""
