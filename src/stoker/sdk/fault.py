"""What sort of failure an error is: the one place that decides whether to try again.

Rule: pure; a function of the error alone. Whoever asks knows how long it may go on.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from stoker.errors import CloudError

OVER_QUOTA: Final = "OverQuota"
IN_ERROR: Final = "InError"
NO_ENDPOINT: Final = "NoEndpoint"
TAKEN: Final = "Taken"
PAUSED: Final = "Paused"


class Fault(StrEnum):
    """What follows an error."""

    BUSY = "busy"  # in use, in transition, or asked too much: wait as long as the stack may take
    RETRY = "retry"  # 5xx, no connection: try again, more and more slowly
    UNKNOWN = "unknown"  # sent, and no answer came: find out first what it did
    QUOTA = "quota"  # wait for whatever would free some, else fail
    BROKEN = "broken"  # the object went to an error state: remove it and make another
    FATAL = "fatal"


_BY_CODE: Final = {
    OVER_QUOTA: Fault.QUOTA,
    IN_ERROR: Fault.BROKEN,
    NO_ENDPOINT: Fault.FATAL,
    PAUSED: Fault.BUSY,
}

_EXHAUSTED: Final = frozenset(
    {"IpAddressGenerationFailure", "ExternalIpAddressExhausted", "NoNetworkAvailable"}
)
"""Conflicts that say that there is no more of something: as a quota, some may become free."""

_TAKEN: Final = frozenset(
    {
        "IpAddressInUse",
        "IpAddressAlreadyAllocated",
        "MacAddressInUse",
        "SecurityGroupRuleExists",
        "RouterInterfaceInUseByAnotherRouter",
        TAKEN,
    }
)
"""Conflicts that no waiting ends: somebody else has what was asked for."""

_CONFLICT: Final = 409
_LOCKED: Final = 423
_TIMED_OUT: Final = 408
_OVER_LIMIT: Final = 413
_TOO_MANY: Final = 429
_SERVER: Final = range(500, 600)
_NEVER: Final = frozenset({501, 505})


def fault(error: BaseException) -> Fault:
    """Return what sort of failure ``error`` is; what is no CloudError is FATAL."""
    if not isinstance(error, CloudError):
        return Fault.FATAL
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    if error.status is None:
        return Fault.UNKNOWN if error.sent else Fault.RETRY
    if error.status in (_CONFLICT, _LOCKED):
        return _of_conflict(error.code)
    if error.status in (_TOO_MANY, _OVER_LIMIT):
        return Fault.BUSY
    if error.status == _TIMED_OUT:
        return Fault.RETRY
    return Fault.RETRY if error.status in _SERVER and error.status not in _NEVER else Fault.FATAL


def is_taken(error: CloudError) -> bool:
    """Tell whether what was asked for is there already: somebody else's, or made by an earlier
    call of ours whose answer was lost.
    """
    return error.status == _CONFLICT and error.code in _TAKEN


def _of_conflict(code: str) -> Fault:
    if code in _EXHAUSTED:
        return Fault.QUOTA
    return Fault.FATAL if code in _TAKEN else Fault.BUSY
