"""The account that a person names, for a service that works as that account.

Rule: openstacksdk reads the configuration and makes what logs in, so that every kind of account
works that other clients can use: passwords, application credentials, single sign-on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from keystoneauth1.identity import BaseIdentityPlugin

from stoker.clouds.configured import configured
from stoker.clouds.connect import Clouds, CloudSettings
from stoker.clouds.credential import Account, v3_url
from stoker.clouds.own_tokens import OwnTokens
from stoker.errors import Forbidden, bad_request

if TYPE_CHECKING:
    from openstack.config.cloud_region import CloudRegion

    from stoker.clouds.identity import Whose

CLIENT_TIMEOUT_SECONDS: Final = 60.0
_NO_PROJECT: Final = "the cloud's account is in no project: give project_name in clouds.yaml"


@dataclass(frozen=True, slots=True)
class Named:
    """An account, and how its cloud is reached."""

    account: Account
    settings: CloudSettings


def named_account(name: str, threads: int) -> Named:
    """Return the account of that name; raises Invalid where nothing can log in with it.

    ``threads`` call at the same time. The cloud's ``api_timeout`` is how long a service may take.
    """
    cloud = configured(name)
    auth_url = v3_url(str(_plugin(cloud).auth_url))
    verify, cert = cloud.get_requests_verify_args()
    settings = CloudSettings(
        interface=_one(cloud.get_interface() or "public"),
        region=cloud.get_region_name() or None,
        client_timeout=float(cloud.config.get("api_timeout") or CLIENT_TIMEOUT_SECONDS),
        threads=threads,
        verify=True if verify is None else verify,
        cert=cert,
    )
    # Read anew for each log-in, so that a changed password needs no restart.
    return Named(Account(auth_url, name, lambda: _plugin(configured(name))), settings)


def _one(interface: str | list[str]) -> str:
    """Return the interface that goes first."""
    return interface if isinstance(interface, str) else interface[0]


def _plugin(cloud: CloudRegion) -> BaseIdentityPlugin:
    plugin = cloud.get_auth()
    if isinstance(plugin, BaseIdentityPlugin) and plugin.auth_url:
        return plugin
    text = f"cloud {cloud.name} has no Keystone to log in at: give auth_url in clouds.yaml"
    raise bad_request(text)


class Acting:
    """Whom a service acts as, and who may ask it to."""

    def __init__(self, clouds: Clouds, account: Account) -> None:
        self._clouds, self._account = clouds, account
        self._tokens = OwnTokens(clouds, account.auth_url)

    def whose(self) -> Whose:
        """Return whom the account stands for; raises CloudError, Invalid without a project."""
        found = self._clouds.cloud(self._account).identity.whose()
        if found.project_id is None:
            raise bad_request(_NO_PROJECT)
        return found

    def new_token(self) -> str:
        """Return a token that nobody else has; raises CloudError, Invalid."""
        fresh = Account(self._account.auth_url, uuid4().hex, self._account.log_in)
        try:
            return self._clouds.cloud(fresh).identity.token()
        finally:
            self._clouds.forget(fresh)

    def caller(self, token: str) -> Whose | None:
        """Return whose a token is, None for one that is no good.

        Raises Forbidden for one that may do less than the account, or elsewhere: what it asks
        for would be done with the account's own rights. Raises CloudError without an answer.
        """
        asking = self._tokens.whose(token)
        if asking is None:
            return None
        own = self.whose()
        if (asking.user_id, asking.project_id) != (own.user_id, own.project_id):
            raise Forbidden(
                f"This service works as user {own.user_name} in project {own.project_name}"
                " alone: log in as that user, in that project."
            )
        if asking.restricted or not set(own.roles) <= set(asking.roles):
            raise Forbidden(
                "The token may do less than the account that this service works as"
                f" ({', '.join(sorted(own.roles))}): log in without restrictions."
            )
        return asking
