"""Passwords for work that outlives a request: the service logs in as the user himself.

They come with the request, as Heat's clients send them: the user's name in X-Auth-User and the
password in X-Auth-Key. Whose they are is told by the token alone: what is kept is the id of its
user and of its project with the password, sealed. Keystone is asked before anything is written.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any

from stoker.clouds.credential import OwnerPassword
from stoker.engine.credentials import NO_GOOD
from stoker.errors import CloudError, MissingCredential, WrongCredential
from stoker.store.credentials import SECRET

if TYPE_CHECKING:
    from stoker.clouds.connect import Clouds
    from stoker.usecases.caller import Caller


class Passwords:
    """Takes what a request brings, and forgets it (:class:`stoker.engine.stored.Method`)."""

    column = SECRET

    def __init__(self, clouds: Clouds, auth_url: str) -> None:
        self._clouds, self._auth_url = clouds, auth_url

    def is_brought_by(self, caller: Caller) -> bool:
        """Tell whether the request has both headers."""
        return bool(caller.login and caller.password)

    def check(self, caller: Caller) -> None:
        """Raise MissingCredential without a header (as Heat does, with its text), WrongCredential
        where they are another user's or Keystone refuses them, CloudError where it does not say.

        It logs in anew: a token got before the password was changed would prove nothing.
        """
        if not caller.login:
            raise MissingCredential("X-Auth-User")
        if not caller.password:
            raise MissingCredential("X-Auth-Key")
        names = {caller.user_name.casefold(), caller.user_id}
        if caller.login not in names and caller.login.casefold() not in names:
            raise WrongCredential(
                "X-Auth-User names another user than the token does, which is of"
                f" {caller.user_name}: the name and the password must be of the user who asks."
            )
        credential = self.credential(self.made(caller))
        self._clouds.forget(credential)
        try:
            self._clouds.cloud(credential).identity.whose()
        except CloudError as e:
            self._clouds.forget(credential)
            if e.status not in NO_GOOD:
                raise
            raise WrongCredential(
                f"X-Auth-Key does not let user {caller.user_name} into project"
                f" {caller.project_name or caller.project_id}, says Keystone: {e}"
            ) from e

    def made(self, caller: Caller) -> Any:
        """Return what is to be kept of the caller's password."""
        return {
            "user_id": caller.user_id,
            "project_id": caller.project_id,
            "password": caller.password,
        }

    def take_back_at_once(self, kept: Any, caller: Caller) -> None:
        """Forget it."""
        del caller
        self._clouds.forget(self.credential(kept))

    def is_taken_back(self, kept: Any) -> bool:
        """Say so: Keystone was told nothing, and there is nothing to take back there."""
        del kept
        return True

    def credential(self, kept: Any) -> OwnerPassword:
        """Return with what the service logs in as the user."""
        return OwnerPassword(
            self._auth_url, kept["user_id"], kept["password"], project_id=kept["project_id"]
        )

    def is_of(self, credential: Any, caller: Caller) -> bool:
        """Tell whether the caller brings no other password: of two the one kept is the old one."""
        if not caller.password:
            return True
        return hmac.compare_digest(credential.password.encode(), caller.password.encode())
