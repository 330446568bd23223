"""Exit codes of the commands that speak to a cloud.

Rule: a script can tell a stack that failed from a request that was wrong and from a cloud that
is away, without reading a text.
"""

from __future__ import annotations

from http import HTTPStatus

from stoker.cli.watch import Detached, StillWaiting
from stoker.errors import CloudError, StokerError, UserError

DONE = 0
FAILED = 1
WRONG = 2
AWAY = 3
WAITED = 4
DETACHED = 130
_ACCOUNT = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def exit_code(error: StokerError) -> int:
    """Return the code that an error ends a command with."""
    match error:
        case Detached():
            return DETACHED
        case StillWaiting():
            return WAITED
        case UserError():
            return WRONG
        case CloudError():
            return _of_cloud(error)
    return FAILED


def _of_cloud(error: CloudError) -> int:
    status = error.status
    if status is None or status in _ACCOUNT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AWAY
    return WRONG
