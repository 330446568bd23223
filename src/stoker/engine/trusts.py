"""Trusts for work that outlives a request: a user lets the service's own user act for him.

Who asks with a trust of ours, for another stack, has none to give: that one is lent, and its own
stack's to take back. A crash between a trust's making and its recording leaves that trust behind:
Keystone keeps no mark on it (see ``docs/limits.md``).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoker.clouds.credential import Password, Trust
from stoker.clouds.errors import hung_up
from stoker.engine.credentials import token_of
from stoker.errors import CloudError, CloudNotFound
from stoker.store.credentials import TRUST

if TYPE_CHECKING:
    from stoker.clouds.connect import Clouds
    from stoker.usecases.caller import Caller

log = logging.getLogger(__name__)

_LENT = "lent"
"""Under this key the trust of another stack is kept."""


@dataclass(frozen=True, slots=True)
class ServiceUser:
    """The user to whom trusts are given: this service's own. Domains are told by id or name.

    ``delegated_roles`` are what a trust gives him; all that the trustor has, when none are named.
    """

    auth_url: str
    username: str
    password: str = field(repr=False)
    project_name: str | None = "service"
    user_domain_id: str | None = "default"
    project_domain_id: str | None = "default"
    user_domain_name: str | None = None
    project_domain_name: str | None = None
    delegated_roles: tuple[str, ...] = ()

    @property
    def credential(self) -> Password:
        """With what he logs in."""
        return Password(
            self.auth_url,
            self.username,
            self.password,
            project_name=self.project_name,
            user_domain_id=self.user_domain_id,
            user_domain_name=self.user_domain_name,
            project_domain_id=self.project_domain_id,
            project_domain_name=self.project_domain_name,
        )


class Trusts:
    """Makes and takes back trusts (:class:`stoker.engine.stored.Method`).

    What is kept of one is its id, and of one that is lent the mapping of a word to its id.
    """

    column = TRUST

    def __init__(self, clouds: Clouds, user: ServiceUser) -> None:
        self._clouds, self._user = clouds, user

    @cached_property
    def _own(self) -> Password:
        return self._user.credential

    @cached_property
    def _own_id(self) -> str:
        return self._clouds.cloud(self._own).identity.whose().user_id

    def is_brought_by(self, caller: Caller) -> bool:
        """Say so: his token is enough."""
        del caller
        return True

    def check(self, caller: Caller) -> None:
        """Do nothing: Keystone says at the making whether he may."""

    def made(self, caller: Caller) -> Any:
        """Make a trust of the caller's; return what is to be kept of it. Raises CloudError."""
        identity = self._identity(caller)
        lent = identity.lent_to(self._own_id)
        if lent is not None:
            return {_LENT: lent}
        try:
            return identity.create_trust(self._own_id, self._user.delegated_roles)
        except CloudError as e:
            if not hung_up(e):
                raise
        # Whatever that has made is left behind, and would be too if the request were refused.
        return identity.create_trust(self._own_id, self._user.delegated_roles)

    def take_back_at_once(self, kept: Any, caller: Caller) -> None:
        """Take back what could not be recorded, unless it is lent."""
        if _is_lent(kept):
            return
        try:
            self._identity(caller).delete_trust(kept)
        except CloudError as e:
            log.warning("a trust that could not be recorded cannot be taken back: %s", e)

    def is_taken_back(self, kept: Any) -> bool:
        """Take a trust back; tell whether that is done, so that its record can go."""
        trust = self.credential(kept)
        return _is_lent(kept) or self._is_gone(trust) or self._is_revoked(trust)

    def credential(self, kept: Any) -> Trust:
        """Return with what the service's user acts as whoever gave the trust."""
        user = self._user
        return Trust(
            user.auth_url,
            kept[_LENT] if _is_lent(kept) else kept,
            user.username,
            user.password,
            user.user_domain_id,
            user.user_domain_name,
        )

    def is_of(self, credential: Any, caller: Caller) -> bool:
        """Say so, of a trust of the caller's: nothing that he brings speaks against it."""
        del credential, caller
        return True

    def _identity(self, caller: Caller) -> Any:
        return self._clouds.cloud(token_of(self._user.auth_url, caller)).identity

    def _is_revoked(self, trust: Trust) -> bool:
        try:
            self._clouds.cloud(trust).identity.delete_trust(trust.trust_id)
        except CloudError as e:
            log.warning("a trust cannot be taken back yet: %s", e)
            return False
        return True

    def _is_gone(self, trust: Trust) -> bool:
        """Tell whether Keystone says so: a call that took it back may have had no answer."""
        try:
            self._clouds.cloud(self._own).identity.get(f"/OS-TRUST/trusts/{trust.trust_id}")
        except CloudNotFound:
            return True
        except CloudError as e:
            log.warning("a trust cannot be looked for yet: %s", e)
        return False


def _is_lent(kept: Any) -> bool:
    return isinstance(kept, dict)
