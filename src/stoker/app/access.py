"""Whose requests are answered, and with what the engine works at the cloud.

Rule: everything that differs between the clouds that Stoker can run beside is behind this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from stoker.api.auth import protect
from stoker.app.signing import prover
from stoker.clouds.budget import Limits, default_at_once
from stoker.clouds.connect import CloudSettings
from stoker.engine.stored import StoredCredentials
from stoker.engine.trusts import ServiceUser

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from stoker.api.cfn.door import Prove
    from stoker.clouds.connect import Clouds
    from stoker.engine.credentials import Credentials
    from stoker.engine.settings import Settings
    from stoker.store.database import Database


class Access(Protocol):
    """One cloud's."""

    def settings(self, engine: Settings) -> CloudSettings:
        """Return how the cloud is reached."""
        ...

    def credentials(self, database: Database, clouds: Clouds) -> Credentials:
        """Return with what the engine works."""
        ...

    def door(self, api: WSGIApplication, clouds: Clouds) -> WSGIApplication:
        """Return the API behind a check of who asks."""
        ...

    def prove(self, clouds: Clouds) -> Prove:
        """Return what tells who has signed a request."""
        ...


@dataclass(frozen=True, slots=True)
class ServiceAccess:
    """The cloud gives us a user of our own: ``heat`` of ``service``, which takes up trusts."""

    auth_url: str
    region: str
    password: str = field(repr=False)

    def settings(self, engine: Settings) -> CloudSettings:
        """Return how the cloud is reached."""
        return CloudSettings(
            region=self.region,
            client_timeout=engine.client_timeout,
            threads=engine.threads,
            limits=Limits(at_once=default_at_once(engine.threads)),
        )

    def credentials(self, database: Database, clouds: Clouds) -> Credentials:
        """Return the trusts of stacks' owners."""
        return StoredCredentials(database, clouds, self._user)

    def door(self, api: WSGIApplication, clouds: Clouds) -> WSGIApplication:
        """Return the API behind keystonemiddleware."""
        del clouds
        options = {
            "auth_type": "password",
            "auth_url": self.auth_url,
            "www_authenticate_uri": self.auth_url,
            "username": "heat",
            "password": self.password,
            "project_name": "service",
            "user_domain_id": "default",
            "project_domain_id": "default",
        }
        return protect(api, options)

    def prove(self, clouds: Clouds) -> Prove:
        """Return what asks Keystone as the same user."""
        return prover(clouds, self._user.credential)

    @property
    def _user(self) -> ServiceUser:
        return ServiceUser(self.auth_url, "heat", self.password)
