"""Time and latency: how long a thing takes, and how a moment is written.

Rule: nothing here waits. A resource that takes time stores when it began, and whoever reads it
works out how far it is.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoker.devcloud.state import State

_SETTING = "latency"
SERVICES = {
    "keystone": "identity",
    "nova": "compute",
    "glance": "image",
    "neutron": "network",
    "networking": "network",
    "cinder": "volume",
    "volumev3": "volume",
    "block-storage": "volume",
}
"""Other names that a service goes by, and the one used here."""


def now() -> float:
    """Give the wall clock, in seconds since the epoch."""
    return time.time()


def iso(seconds: float, *, micros: bool = False) -> str:
    """Write a moment as OpenStack does: ``2026-01-31T12:00:00Z``, with microseconds if asked."""
    moment = datetime.fromtimestamp(seconds, UTC)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{moment.microsecond:06d}Z" if micros else f"{text}Z"


def parsed(text: str) -> float:
    """Read an ISO 8601 moment, UTC unless it says otherwise.

    Raises:
        ValueError: it is not one.
    """
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def service_name(name: str) -> str:
    """Give the catalog's type of a service called by its type or its project name."""
    return SERVICES.get(name, name)


class Latency:
    """Seconds that each slow operation takes; set at run time, kept over a restart."""

    def __init__(self, state: State, default: float = 0.2) -> None:
        self._state = state
        self._default = default
        with state.transaction():
            self._set: dict[str, dict[str, float]] = state.setting(_SETTING) or {}

    def seconds(self, service: str, operation: str, default: float | None = None) -> float:
        """Give how long an operation takes: what was set, else the default."""
        fallback = self._default if default is None else default
        return self._set.get(service, {}).get(operation, fallback)

    def put(self, wanted: dict[str, dict[str, float]]) -> None:
        """Set operations' seconds; those not named keep theirs. Call it inside a transaction."""
        merged = {service: dict(each) for service, each in self._set.items()}
        for service, operations in wanted.items():
            merged.setdefault(service_name(service), {}).update(operations)
        self._state.put_setting(_SETTING, merged)
        self._set = merged

    def all(self) -> dict[str, dict[str, float]]:
        """Give everything that was set."""
        return self._set
