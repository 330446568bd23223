"""A cloud that others run and that gives us a user of our own, as it gave Heat one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from oslo_config import cfg

from stoker.api.auth import protect
from stoker.app.misconfigured import Misconfigured
from stoker.app.signing import prover
from stoker.engine.stored import StoredCredentials

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from stoker.api.cfn.door import Prove
    from stoker.clouds.connect import Clouds, CloudSettings
    from stoker.clouds.credential import Credential
    from stoker.engine.credentials import Credentials
    from stoker.engine.settings import Settings
    from stoker.engine.trusts import ServiceUser
    from stoker.store.database import Database


@dataclass(frozen=True, slots=True)
class TrusteeAccess:
    """The cloud's (:class:`stoker.app.access.Access`).

    ``conf`` has the options of keystonemiddleware; they are read when the door is made. ``method``
    is how new stacks' owners let work go on for them when their requests are over.
    """

    user: ServiceUser
    cloud: CloudSettings
    conf: cfg.ConfigOpts
    key_checker: Credential
    method: str

    def settings(self, engine: Settings) -> CloudSettings:
        """Return how the cloud is reached."""
        return replace(self.cloud, client_timeout=engine.client_timeout, threads=engine.threads)

    def credentials(self, database: Database, clouds: Clouds) -> Credentials:
        """Return what stacks' owners have given: trusts, or their passwords."""
        return StoredCredentials(database, clouds, self.user, self.method)

    def door(self, api: WSGIApplication, clouds: Clouds) -> WSGIApplication:
        """Return the API behind keystonemiddleware; raises Misconfigured."""
        del clouds
        return protected(api, self.conf)

    def prove(self, clouds: Clouds) -> Prove:
        """Return what asks Keystone as the user for that."""
        return prover(clouds, self.key_checker)


def protected(api: WSGIApplication, conf: cfg.ConfigOpts) -> WSGIApplication:
    """Return an API behind keystonemiddleware; raises Misconfigured."""
    try:
        door = protect(api, {"oslo_config_config": conf})
    except cfg.Error as error:
        raise Misconfigured(f"[keystone_authtoken]: {error}") from error
    if conf.keystone_authtoken.memcached_servers and find_spec("memcache") is None:
        # The middleware would say so at each request, to the client, with a status of 500.
        raise Misconfigured(
            "[keystone_authtoken] memcached_servers is set, and the module for it is missing:"
            " install stoker[memcache] (python-memcached), or take the option out"
        )
    return door
