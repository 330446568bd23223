"""Sessions, one a credential, and the cloud as a user sees it.

Rule: connections are pooled for the process, tokens and what was learnt per credential.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import requests
from keystoneauth1 import session as ksa
from requests.adapters import HTTPAdapter

from stoker.clouds.budget import Budgets, Limits
from stoker.clouds.constraints import CloudConstraints
from stoker.clouds.credential import Credential, plugin
from stoker.clouds.memory import Memory
from stoker.clouds.one_cloud import OneCloud
from stoker.clouds.rest import Connection
from stoker.sdk.cloud import Constraints, Guard

_MOST_CREDENTIALS: Final = 1000
_HOSTS: Final = 32


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """How clouds are reached. ``threads`` is the number that call at the same time.

    ``verify`` is as in requests: a path names a bundle of certificates. ``cert`` is the client's
    own certificate, with its key in a second file where it is not in the first. ``limits`` are
    of each service of a cloud.
    """

    interface: str = "public"
    region: str | None = None
    client_timeout: float = 60.0
    threads: int = 16
    verify: bool | str = True
    cert: str | tuple[str, str] | None = None
    limits: Limits = field(default_factory=Limits)


class Unguarded:
    """The guard of calls that no lease stands behind, such as making a trust."""

    def before(self, service: str, method: str, path: str) -> None:
        """Let it pass."""

    def after(self, service: str, method: str, path: str) -> None:
        """Let it pass."""


class Checks(Protocol):
    """Adds custom constraints to those that a cloud's own clients answer."""

    def __call__(self, cloud: OneCloud, inner: Constraints) -> Constraints: ...


class Clouds:
    """All clouds that this process speaks to; shared by its threads."""

    def __init__(
        self,
        settings: CloudSettings | None = None,
        http: requests.Session | None = None,
        checks: Checks | None = None,
    ) -> None:
        self._checks = checks
        self._settings = settings or CloudSettings()
        self._http = http or Http(self._settings.threads)
        self._connections: OrderedDict[Credential, Connection] = OrderedDict()
        self._shared: dict[str, Memory] = {}
        self._budgets: dict[str, Budgets] = {}
        self._lock = threading.Lock()

    def cloud(
        self, credential: Credential, guard: Guard | None = None, max_age: float | None = None
    ) -> OneCloud:
        """Return the cloud as seen with a credential; changing calls pass ``guard``.

        No look-up is answered with what was learnt more than ``max_age`` seconds ago.
        """
        since = 0.0 if max_age is None else time.monotonic() - max_age
        return OneCloud(self._connection(credential), guard or Unguarded(), since)

    def constraints(self, credential: Credential) -> Constraints:
        """Return who answers look-ups, seen with a credential."""
        cloud = self.cloud(credential)
        known = CloudConstraints(cloud)
        return known if self._checks is None else self._checks(cloud, known)

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
        auth = plugin(credential)
        session = ksa.Session(
            auth=auth,  # keystoneauth itself asks services for their versions with it
            session=self._http,
            verify=settings.verify,
            cert=settings.cert,
            timeout=settings.client_timeout,
            user_agent="stoker",
        )
        shared = self._shared.setdefault(credential.auth_url, Memory())
        budgets = self._budgets.setdefault(credential.auth_url, Budgets(settings.limits))
        return Connection(session, auth, settings.interface, settings.region, shared, budgets)


class Http(requests.Session):
    """The connections of the process. What the environment says of a host (proxies, bundles
    of certificates) is read once: doing so at each call costs more than the call's own body."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        adapter = HTTPAdapter(pool_connections=_HOSTS, pool_maxsize=threads)
        self.mount("http://", adapter)
        self.mount("https://", adapter)
        self._said: dict[tuple[str, str, Any], Any] = {}

    def merge_environment_settings(
        self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
    ) -> Any:
        """Return what a request to this host is sent with."""
        parts = urlsplit(str(url))
        key = (parts.scheme, parts.netloc, verify)
        if key not in self._said:
            merged = super().merge_environment_settings(url, proxies, stream, verify, cert)
            self._said[key] = merged
        return dict(self._said[key])
