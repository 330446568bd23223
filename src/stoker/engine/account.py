"""Work done as the one account that the service was started with: nothing is stored for it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from stoker.clouds.credential import Token
from stoker.engine.credentials import age

if TYPE_CHECKING:
    from stoker.clouds.connect import Clouds
    from stoker.clouds.credential import Account
    from stoker.sdk.cloud import Cloud, Constraints, Guard
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller


class AccountCredentials:
    """The account's own credentials (:class:`stoker.engine.credentials.Credentials`).

    Whoever reaches it holds a token that may do all that the account may (the API sees to it).
    """

    def __init__(self, database: Database, clouds: Clouds, account: Account) -> None:
        self._database, self._clouds, self._account = database, clouds, account

    def delegated(self, caller: Caller) -> AbstractContextManager[None]:
        """Give None: the account is at hand whenever the service runs."""
        del caller
        return nullcontext()

    def serves(self, creds_id: int, caller: Caller, *, as_it_is: bool = False) -> bool:
        """Say so: there is one account for all."""
        del creds_id, caller, as_it_is
        return True

    def is_lost(self, creds_id: int, caller: Caller) -> bool:
        """Say that they are not: the account is at hand."""
        del creds_id, caller
        return False

    def constraints(self, caller: Caller) -> Constraints:
        """Return who answers look-ups, as the caller sees the cloud."""
        return self._clouds.constraints(Token(self._account.auth_url, caller.token))

    def cloud_for(self, caller: Caller) -> Cloud:
        """Return the cloud as the caller sees it."""
        return self._clouds.cloud(Token(self._account.auth_url, caller.token))

    def cloud_of(self, stack: Any, guard: Guard) -> Cloud:
        """Return the cloud as the account sees it."""
        return self._clouds.cloud(self._account, guard, age(stack, self._database.now()))

    def tend(self) -> None:
        """Do nothing: nothing is stored."""

    def release_unused(self) -> None:
        """Do nothing: nothing is stored."""
