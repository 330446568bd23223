"""Stored credentials for work that outlives a request, one for each tree of stacks.

The intent to make some is committed before they are made; those whose stack is gone are taken
back by whichever engine finds them first. What is stored says itself what it is, so that stacks
of before the operator has chosen another method go on with what they have.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from stoker.engine.credentials import NO_GOOD, age, token_of
from stoker.engine.passwords import Passwords
from stoker.engine.trusts import Trusts
from stoker.errors import Bug, CloudError, Unavailable, Unsupported
from stoker.store import credentials as rows
from stoker.store.database import DatabaseError
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.clouds.connect import Clouds
    from stoker.clouds.credential import Credential
    from stoker.engine.trusts import ServiceUser
    from stoker.sdk.cloud import Cloud, Constraints, Guard
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller

_ABANDONED_SECONDS = 3600.0
"""After so long what no stack uses belongs to a request that will never end."""

TRUSTS: Final = "trusts"
PASSWORD: Final = "password"  # noqa: S105 - the method's name


class Method(Protocol):
    """One way to go on for a user: what is made for it, kept (a JSON value), and given back."""

    @property
    def column(self) -> str:
        """The column of what is kept, which tells it from that of other methods."""
        ...

    def is_brought_by(self, caller: Caller) -> bool:
        """Tell whether the caller brings what something new is made of."""
        ...

    def check(self, caller: Caller) -> None:
        """Raise UserError where nothing can be made of what he brings; nothing is written yet."""
        ...

    def made(self, caller: Caller) -> Any:
        """Make something new and return what is to be kept of it; raises CloudError."""
        ...

    def take_back_at_once(self, kept: Any, caller: Caller) -> None:
        """Take back what could not be recorded, as far as that goes."""
        ...

    def is_taken_back(self, kept: Any) -> bool:
        """Take it back; tell whether that is done, so that its record can go."""
        ...

    def credential(self, kept: Any) -> Credential:
        """Return with what calls are made."""
        ...

    def is_of(self, credential: Any, caller: Caller) -> bool:
        """Tell whether one of the caller's is still that which he would give now."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    method: Method
    credential: Credential


class StoredCredentials:
    """Makes them by one method, and knows what was made by the others
    (:class:`stoker.engine.credentials.Credentials`)."""

    def __init__(
        self, database: Database, clouds: Clouds, user: ServiceUser, method: str = TRUSTS
    ) -> None:
        self._database, self._clouds, self._auth_url = database, clouds, user.auth_url
        methods: dict[str, Method] = {
            TRUSTS: Trusts(clouds, user),
            PASSWORD: Passwords(clouds, user.auth_url),
        }
        self._new = methods[method]
        self._methods = {each.column: each for each in methods.values()}
        self._known: dict[int, _Held] = {}

    @contextmanager
    def delegated(self, caller: Caller) -> Iterator[int]:
        """Give the id of new stored credentials; where the block fails they are taken back.

        Where the database did not answer, the block may have done its work all the same:
        whoever finds the credentials unused takes them back. Raises UserError where the caller
        does not bring what they are made of, and CloudError.
        """
        self._new.check(caller)
        database, project, user = self._database, caller.project_id, caller.user_id
        now = database.now()
        creds_id = database.again(lambda c: rows.intend(c, project, user, now))
        try:
            kept = self._new.made(caller)
        except CloudError:
            database.again(partial(rows.forget, creds_id=creds_id))
            raise
        self._hold(creds_id, kept, caller)
        try:
            yield creds_id
        except Unavailable:
            raise
        except BaseException:
            database.again(partial(rows.release, creds_id=creds_id))
            raise

    def _hold(self, creds_id: int, kept: Any, caller: Caller) -> None:
        """Record what was made; where that does not go it is taken back at once."""
        sealed, column = self._database.sealer.seal(kept), self._new.column
        try:
            self._database.again(
                partial(rows.hold, creds_id=creds_id, column=column, sealed=sealed)
            )
        except DatabaseError:
            self._new.take_back_at_once(kept, caller)
            raise

    def serves(self, creds_id: int, caller: Caller, *, as_it_is: bool = False) -> bool:
        """Tell whether they are the caller's, of the method in force, and good for something.

        An administrator of another project asks for nothing of their own: they have nothing to
        give in the stack's project. What a caller brings is checked, also where it is not needed:
        raises UserError. Who brings nothing has to go on with what there is: with their own, or
        ``as_it_is`` (nothing of theirs comes into the stack) with another's.
        """
        owner = self._owner(creds_id)
        if owner is None:
            return False
        user_id, project_id = owner
        if project_id != caller.project_id:
            return True
        held, is_own = self._held(creds_id), user_id == caller.user_id
        if not self._new.is_brought_by(caller):
            return (is_own or as_it_is) and self._is_good(held.credential)
        self._new.check(caller)
        is_current = as_it_is or held.method is self._new
        is_still = is_own and is_current and held.method.is_of(held.credential, caller)
        return is_still and self._is_good(held.credential)

    def is_lost(self, creds_id: int, caller: Caller) -> bool:
        """Tell whether nothing can be done with them any more, where the caller may give others:
        those of the stack's project."""
        owner = self._owner(creds_id)
        if owner is None:
            return True
        _, project_id = owner
        if project_id != caller.project_id:
            return False
        return not self._is_good(self._held(creds_id).credential)

    def _owner(self, creds_id: int) -> tuple[str, str] | None:
        with self._database.read() as connection:
            return rows.owner(connection, creds_id)

    def _is_good(self, credential: Credential) -> bool:
        """Tell whether Keystone gives a token for it; where it does not say, it may."""
        try:
            self._clouds.cloud(credential).identity.whose()
        except CloudError as e:
            return e.status not in NO_GOOD
        return True

    def constraints(self, caller: Caller) -> Constraints:
        """Return who answers look-ups, as the caller sees the cloud."""
        return self._clouds.constraints(token_of(self._auth_url, caller))

    def cloud_for(self, caller: Caller) -> Cloud:
        """Return the cloud as the caller sees it."""
        return self._clouds.cloud(token_of(self._auth_url, caller))

    def cloud_of(self, stack: Any, guard: Guard) -> Cloud:
        """Return the cloud as the owner of a stack sees it."""
        if stack.user_creds_id is None:
            raise Unsupported(
                f"stack {stack.name} was accepted without credentials; update it to give some"
            )
        credential = self._held(stack.user_creds_id).credential
        return self._clouds.cloud(credential, guard, age(stack, self._database.now()))

    def tend(self) -> None:
        """Take back those of stacks that are gone, or that never came to be."""
        abandoned_at = self._database.now() - _ABANDONED_SECONDS
        with self._database.read() as connection:
            waiting = rows.to_revoke(connection, abandoned_at)
            unmade = rows.are_unmade(connection, abandoned_at)
        if unmade:
            self._database.again(partial(rows.forget_unmade, abandoned_at=abandoned_at))
        for creds_id, column, sealed in waiting:
            method, kept = self._methods[column], self._database.sealer.open(sealed)
            if method.is_taken_back(kept):
                self._clouds.forget(method.credential(kept))
                self._known.pop(creds_id, None)
                self._database.again(partial(rows.forget, creds_id=creds_id))

    def release_unused(self) -> None:
        """Give up what no stack uses: for whoever has the state to itself, before any request."""
        self._database.again(rows.release_unused)

    def _held(self, creds_id: int) -> _Held:
        known = self._known.get(creds_id)
        if known is not None:
            return known
        with self._database.read() as connection:
            found = rows.kept(connection, creds_id)
            is_used = found is not None or rows.is_used(connection, creds_id)
        if not is_used:  # the stack has gone since: this engine was suspended, say
            raise Moved(f"credentials {creds_id} are gone, and nobody uses them")
        if found is None:
            raise Bug(f"credentials {creds_id} hold nothing")
        column, sealed = found
        method = self._methods[column]
        held = _Held(method, method.credential(self._database.sealer.open(sealed)))
        self._known[creds_id] = held
        return held
