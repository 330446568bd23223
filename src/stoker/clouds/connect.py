"""Sessions, one a credential, and the cloud as a user sees it.

Rule: connections are pooled for the process, tokens and what was learnt per credential;
making a :class:`OneCloud` for a step costs nothing.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.request import getproxies

import requests
from keystoneauth1 import session as ksa
from requests.adapters import HTTPAdapter

from stoker.clouds.compute import Compute
from stoker.clouds.constraints import CloudConstraints
from stoker.clouds.credential import Credential, plugin
from stoker.clouds.identity import Identity
from stoker.clouds.image import Image
from stoker.clouds.memory import Memory
from stoker.clouds.network import Network
from stoker.clouds.rest import Connection
from stoker.clouds.volume import Volume
from stoker.sdk.cloud import Guard

_MOST_CREDENTIALS: Final = 1000
_HOSTS: Final = 32


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """How clouds are reached. ``threads`` is the number that call at the same time."""

    interface: str = "public"
    region: str | None = None
    client_timeout: float = 60.0
    threads: int = 16
    verify: bool | str = True  # or the path of a bundle of certificates


class Unguarded:
    """The guard of calls that no lease stands behind, such as making a trust."""

    def before(self, service: str, method: str, path: str) -> None:
        """Let it pass."""

    def after(self, service: str, method: str, path: str) -> None:
        """Let it pass."""


class OneCloud:
    """One user's view of the cloud (:class:`stoker.sdk.cloud.Cloud`)."""

    def __init__(self, connection: Connection, guard: Guard) -> None:
        self._connection, self._guard = connection, guard

    @cached_property
    def network(self) -> Network:
        """Neutron."""
        return Network(self._connection, self._guard)

    @cached_property
    def compute(self) -> Compute:
        """Nova."""
        return Compute(self._connection, self._guard)

    @cached_property
    def image(self) -> Image:
        """Glance."""
        return Image(self._connection, self._guard)

    @cached_property
    def volume(self) -> Volume:
        """Cinder."""
        return Volume(self._connection, self._guard)

    @cached_property
    def identity(self) -> Identity:
        """Keystone."""
        return Identity(self._connection, self._guard)


class Clouds:
    """All clouds that this process speaks to; shared by its threads."""

    def __init__(
        self, settings: CloudSettings | None = None, http: requests.Session | None = None
    ) -> None:
        self._settings = settings or CloudSettings()
        self._http = http or _pool(self._settings)
        self._connections: OrderedDict[Credential, Connection] = OrderedDict()
        self._shared: dict[str, Memory] = {}
        self._lock = threading.Lock()

    def cloud(self, credential: Credential, guard: Guard | None = None) -> OneCloud:
        """Return the cloud as seen with a credential; changing calls pass ``guard``."""
        return OneCloud(self._connection(credential), guard or Unguarded())

    def constraints(self, credential: Credential) -> CloudConstraints:
        """Return who answers look-ups, seen with a credential."""
        return CloudConstraints(self.cloud(credential))

    def forget(self, credential: Credential) -> None:
        """Drop what is kept for a credential, such as a trust that was taken back."""
        with self._lock:
            self._connections.pop(credential, None)

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def _connection(self, credential: Credential) -> Connection:
        with self._lock:
            known = self._connections.pop(credential, None)
            known = self._connections[credential] = known or self._connected(credential)
            while len(self._connections) > _MOST_CREDENTIALS:
                self._connections.popitem(last=False)
        return known

    def _connected(self, credential: Credential) -> Connection:
        settings = self._settings
        session = ksa.Session(
            session=self._http,
            verify=settings.verify,
            timeout=settings.client_timeout,
            user_agent="stoker",
        )
        shared = self._shared.setdefault(credential.auth_url, Memory())
        auth = plugin(credential)
        return Connection(session, auth, settings.interface, settings.region, shared)


def _pool(settings: CloudSettings) -> requests.Session:
    http = requests.Session()
    http.trust_env = _is_environment_needed()  # looking there costs something at each call
    adapter = HTTPAdapter(pool_connections=_HOSTS, pool_maxsize=settings.threads)
    http.mount("http://", adapter)
    http.mount("https://", adapter)
    return http


def _is_environment_needed() -> bool:
    bundles = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
    return bool(getproxies()) or any(name in os.environ for name in bundles)
