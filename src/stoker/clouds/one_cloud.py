"""One user's view of a cloud: a client a service, made when it is first used.

Rule: making one costs nothing, so that each step has its own, with its own guard.
"""

from __future__ import annotations

from functools import cached_property

from stoker.clouds.compute import Compute
from stoker.clouds.identity import Identity
from stoker.clouds.image import Image
from stoker.clouds.listed import Listed
from stoker.clouds.network import Network
from stoker.clouds.orchestration import Orchestration
from stoker.clouds.rest import Connection
from stoker.clouds.session import GuardedSession
from stoker.clouds.volume import Volume
from stoker.sdk.cloud import Guard


class OneCloud:
    """One user's view of the cloud (:class:`stoker.sdk.cloud.Cloud`)."""

    def __init__(self, connection: Connection, guard: Guard, since: float = 0.0) -> None:
        self._connection, self._guard, self._since = connection, guard, since

    @cached_property
    def network(self) -> Network:
        """Neutron."""
        return Network(self._connection, self._guard, self._since)

    @cached_property
    def compute(self) -> Compute:
        """Nova."""
        return Compute(self._connection, self._guard, self._since)

    @cached_property
    def image(self) -> Image:
        """Glance."""
        return Image(self._connection, self._guard, self._since)

    @cached_property
    def volume(self) -> Volume:
        """Cinder."""
        return Volume(self._connection, self._guard, self._since)

    @cached_property
    def identity(self) -> Identity:
        """Keystone."""
        return Identity(self._connection, self._guard, self._since)

    def orchestration(self, region: str | None) -> Orchestration:
        """Heat in a region, in this one where none is named."""
        there = self._connection.in_region(region)
        return Orchestration(there, self._guard, self._since)

    def listed(self, kind: str) -> Listed:
        """Return the service that has a kind of :data:`stoker.clouds.listed.KINDS`."""
        return Listed(kind, self._connection, self._guard, self._since)

    def session(self) -> GuardedSession:
        """Return a new session for clients that are not ours; theirs pass the guard too."""
        return GuardedSession(self._connection, self._guard)
