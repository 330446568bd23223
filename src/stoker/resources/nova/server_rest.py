"""Putting a server to rest and waking it, and whether it is as it should be.

Rule: each step looks first, so that it can be repeated: a server that is there already is not
asked again. Nova marks a server as on its way before it answers; one that is on no way, and
still where it was, was put back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.nova.server_state import ACTIVE, is_moving, refuse_error
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.fault import IN_ERROR
from stoker.sdk.resource import Wait

SUSPENDED: Final = "SUSPENDED"
_HTTP_ERROR: Final = 500
_LOOKS: Final = 5
"""Looks at an idle server that was asked to change, until it is said not to have changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change between two statuses, and what Nova calls it."""

    name: str
    before: str
    after: str


SUSPEND: Final = Change("suspend", ACTIVE, SUSPENDED)
RESUME: Final = Change("resume", SUSPENDED, ACTIVE)


def checked(server: Mapping[str, Any], data: Mapping[str, Any]) -> Wait | None:
    """Return None where the server is well, a wait while it moves; raises CloudError."""
    refuse_error(server)
    if is_moving(server):
        return poll(data)
    if server["status"] != ACTIVE:
        raise _wrong(f"the server is {server['status']}, not {ACTIVE}")
    return None


def due(
    change: Change, server: Mapping[str, Any], data: Mapping[str, Any], cloud: Cloud
) -> Wait | None:
    """Bring the server one call nearer; None: it is there. Raises CloudError."""
    refuse_error(server)
    if is_moving(server):
        return poll(data)
    status = server["status"]
    if status == change.after:
        return None
    if status != change.before:
        raise _wrong(f"the server is {status}: only one that is {change.before} can {change.name}")
    if data.get("asked"):
        return _idle(change, data)
    cloud.compute.post(f"/servers/{server['id']}/action", {change.name: None})
    return poll({**data, "asked": True})


def _idle(change: Change, data: Mapping[str, Any]) -> Wait:
    looks = int(data.get("idle", 0)) + 1
    if looks > _LOOKS:
        raise _wrong(f"the server was to {change.name}, and is {change.before} again")
    return poll({**data, "idle": looks})


def _wrong(text: str) -> CloudError:
    return CloudError(text, service="compute", status=_HTTP_ERROR, code=IN_ERROR)
