"""Who a call is made as. Values only; their secrets never show in a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from keystoneauth1 import access, session
from keystoneauth1.identity import base, v3


@dataclass(frozen=True, slots=True)
class Token:
    """A token that a user has already; it cannot be renewed."""

    auth_url: str
    token: str = field(repr=False)
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class Trust:
    """A user's trust, taken up by the service's own user."""

    auth_url: str
    trust_id: str
    username: str
    password: str = field(repr=False)
    user_domain_id: str | None = "default"
    user_domain_name: str | None = None


@dataclass(frozen=True, slots=True)
class Password:
    """A user by name and password, in a project by id or name."""

    auth_url: str
    username: str
    password: str = field(repr=False)
    project_id: str | None = None
    project_name: str | None = None
    user_domain_id: str | None = None
    user_domain_name: str | None = None
    project_domain_id: str | None = None
    project_domain_name: str | None = None


@dataclass(frozen=True, slots=True)
class OwnerPassword:
    """A user by id and password, in a project by id: neither is lost when one is renamed."""

    auth_url: str
    user_id: str
    password: str = field(repr=False)
    project_id: str


@dataclass(frozen=True, slots=True)
class ApplicationCredential:
    """An application credential by id and secret."""

    auth_url: str
    id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Account:
    """An account of ``clouds.yaml``, however it logs in: ``log_in`` makes a plugin that can."""

    auth_url: str
    name: str
    log_in: Callable[[], base.BaseIdentityPlugin] = field(repr=False, compare=False)


Credential = Token | Trust | Password | OwnerPassword | ApplicationCredential | Account


class GivenToken(base.BaseIdentityPlugin):
    """A token used as it is: its catalog is asked for, and no other token is made of it."""

    def __init__(self, auth_url: str, token: str) -> None:
        super().__init__(auth_url=auth_url, reauthenticate=False)
        self._token = token

    def get_auth_ref(self, session: session.Session, **_: Any) -> access.AccessInfoV3:
        """Return what the token stands for."""
        headers = {"X-Auth-Token": self._token, "X-Subject-Token": self._token}
        url = f"{self.auth_url}/auth/tokens"
        answer = session.get(url, headers=headers, authenticated=False, log=False)
        return access.AccessInfoV3(answer.json(), auth_token=self._token)

    def get_cache_id_elements(self) -> dict[str, str | None]:
        """Return nothing: such a token is cached nowhere."""
        return {}


def plugin(credential: Credential) -> base.BaseIdentityPlugin:
    """Return the keystoneauth plugin that gets tokens for a credential."""
    url = v3_url(credential.auth_url)
    match credential:
        case Account():
            return credential.log_in()
        case Token():
            return GivenToken(url, credential.token)
        case ApplicationCredential():
            return v3.ApplicationCredential(
                url,
                application_credential_id=credential.id,
                application_credential_secret=credential.secret,
            )
        case Trust():
            return v3.Password(
                url,
                username=credential.username,
                password=credential.password,
                user_domain_id=credential.user_domain_id,
                user_domain_name=credential.user_domain_name,
                trust_id=credential.trust_id,
            )
        case Password():
            return _password(url, credential)
        case OwnerPassword():
            return v3.Password(
                url,
                user_id=credential.user_id,
                password=credential.password,
                project_id=credential.project_id,
            )


def _password(url: str, credential: Password) -> v3.Password:
    return v3.Password(
        url,
        username=credential.username,
        password=credential.password,
        user_domain_id=credential.user_domain_id,
        user_domain_name=credential.user_domain_name,
        project_id=credential.project_id,
        project_name=credential.project_name,
        project_domain_id=credential.project_domain_id,
        project_domain_name=credential.project_domain_name,
    )


def v3_url(auth_url: str) -> str:
    """Return the URL of version 3 of the identity service at ``auth_url``."""
    bare = auth_url.rstrip("/")
    return bare if bare.endswith("/v3") else f"{bare}/v3"
