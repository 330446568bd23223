"""Trusts for work that outlives a request, one for each tree of stacks.

The intent to make a trust is committed before it is made; a trust whose stack is gone is
taken back by whichever engine finds it first. Who asks with a trust of ours, for another stack,
has none to give: that one is lent, and its own stack's to take back. A crash between a trust's
making and its recording leaves that trust behind: Keystone keeps no mark on it (see
``docs/limits.md``).
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from stoker.clouds.credential import Password, Token, Trust
from stoker.engine.credentials import age
from stoker.errors import Bug, CloudError, CloudNotFound, Unavailable, Unsupported
from stoker.store import credentials as rows
from stoker.store.database import DatabaseError
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.clouds.connect import Clouds
    from stoker.sdk.cloud import Cloud, Constraints, Guard
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller

log = logging.getLogger(__name__)

_ABANDONED_SECONDS = 3600.0
"""After so long a trust that no stack uses belongs to a request that will never end."""

_LENT = "lent"
"""Under this key the trust of another stack is kept."""

_NO_GOOD = frozenset({401, 403, 404})
"""Answers to a log-in with a trust that is lost, or whose user may not give it any more."""


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
    """Makes, uses and takes back trusts (:class:`stoker.engine.credentials.Credentials`)."""

    def __init__(self, database: Database, clouds: Clouds, user: ServiceUser) -> None:
        self._database, self._clouds, self._user = database, clouds, user
        self._known: dict[int, Trust] = {}

    @cached_property
    def _own(self) -> Password:
        return self._user.credential

    @cached_property
    def _own_id(self) -> str:
        return self._clouds.cloud(self._own).identity.whose().user_id

    @contextmanager
    def delegated(self, caller: Caller) -> Iterator[int]:
        """Give the id of new stored credentials; where the block fails they are taken back.

        Where the database did not answer, the block may have done its work all the same:
        whoever finds the credentials unused takes them back.
        """
        database, project, user = self._database, caller.project_id, caller.user_id
        now = database.now()
        creds_id = database.again(lambda c: rows.intend(c, project, user, now))
        try:
            identity = self._clouds.cloud(self._token(caller)).identity
            lent = identity.lent_to(self._own_id)
            trust_id = lent or identity.create_trust(self._own_id, self._user.delegated_roles)
        except CloudError:
            database.again(partial(rows.forget, creds_id=creds_id))
            raise
        self._hold(identity, creds_id, trust_id, is_lent=lent is not None)
        try:
            yield creds_id
        except Unavailable:
            raise
        except BaseException:
            database.again(partial(rows.release, creds_id=creds_id))
            raise

    def _hold(self, identity: Any, creds_id: int, trust_id: str, *, is_lent: bool) -> None:
        """Record a trust; one that cannot be recorded is taken back at once, unless it is lent."""
        sealed = self._database.sealer.seal({_LENT: trust_id} if is_lent else trust_id)
        try:
            self._database.again(partial(rows.hold, creds_id=creds_id, sealed_trust=sealed))
        except DatabaseError:
            if is_lent:
                raise
            try:
                identity.delete_trust(trust_id)
            except CloudError as e:
                log.warning("a trust that could not be recorded cannot be taken back: %s", e)
            raise

    def serves(self, creds_id: int, caller: Caller) -> bool:
        """Tell whether the trust is the caller's and good for something.

        An administrator of another project asks for nothing of their own: they have no trust to
        give in the stack's project.
        """
        owner = self._owner(creds_id)
        if owner is None:
            return False
        user_id, project_id = owner
        if project_id != caller.project_id:
            return True
        return user_id == caller.user_id and self._is_good(creds_id)

    def is_lost(self, creds_id: int, caller: Caller) -> bool:
        """Tell whether nothing can be done with the trust any more, where the caller may give
        another: one of the stack's project."""
        owner = self._owner(creds_id)
        if owner is None:
            return True
        _, project_id = owner
        return project_id == caller.project_id and not self._is_good(creds_id)

    def _owner(self, creds_id: int) -> tuple[str, str] | None:
        with self._database.read() as connection:
            return rows.owner(connection, creds_id)

    def _is_good(self, creds_id: int) -> bool:
        """Tell whether Keystone gives a token for the trust; where it does not say, it may."""
        try:
            self._clouds.cloud(self._trust(creds_id)).identity.whose()
        except CloudError as e:
            return e.status not in _NO_GOOD
        return True

    def constraints(self, caller: Caller) -> Constraints:
        """Return who answers look-ups, as the caller sees the cloud."""
        return self._clouds.constraints(self._token(caller))

    def cloud_for(self, caller: Caller) -> Cloud:
        """Return the cloud as the caller sees it."""
        return self._clouds.cloud(self._token(caller))

    def cloud_of(self, stack: Any, guard: Guard) -> Cloud:
        """Return the cloud as the owner of a stack sees it."""
        if stack.user_creds_id is None:
            raise Unsupported(
                f"stack {stack.name} was accepted without credentials; update it to give some"
            )
        trust = self._trust(stack.user_creds_id)
        return self._clouds.cloud(trust, guard, age(stack, self._database.now()))

    def tend(self) -> None:
        """Take back the trusts of stacks that are gone, or that never came to be."""
        abandoned_at = self._database.now() - _ABANDONED_SECONDS
        with self._database.read() as connection:
            waiting = rows.to_revoke(connection, abandoned_at)
            unmade = rows.are_unmade(connection, abandoned_at)
        if unmade:
            self._database.again(partial(rows.forget_unmade, abandoned_at=abandoned_at))
        for creds_id, sealed in waiting:
            trust = self._credential(sealed)
            if self._is_lent(sealed) or self._is_gone(trust) or self._is_revoked(trust):
                self._clouds.forget(trust)
                self._known.pop(creds_id, None)
                self._database.again(partial(rows.forget, creds_id=creds_id))

    def release_unused(self) -> None:
        """Give up what no stack uses: for whoever has the state to itself, before any request."""
        self._database.again(rows.release_unused)

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

    def _token(self, caller: Caller) -> Token:
        return Token(self._user.auth_url, caller.token, caller.project_id)

    def _trust(self, creds_id: int) -> Trust:
        known = self._known.get(creds_id)
        if known is not None:
            return known
        with self._database.read() as connection:
            sealed = rows.trust(connection, creds_id)
            is_used = sealed is not None or rows.is_used(connection, creds_id)
        if not is_used:  # the stack has gone since: this engine was suspended, say
            raise Moved(f"credentials {creds_id} are gone, and nobody uses them")
        if sealed is None:
            raise Bug(f"credentials {creds_id} hold no trust")
        self._known[creds_id] = trust = self._credential(sealed)
        return trust

    def _is_lent(self, sealed: bytes) -> bool:
        return isinstance(self._database.sealer.open(sealed), dict)

    def _credential(self, sealed: bytes) -> Trust:
        user, held = self._user, self._database.sealer.open(sealed)
        return Trust(
            user.auth_url,
            held[_LENT] if isinstance(held, dict) else held,
            user.username,
            user.password,
            user.user_domain_id,
            user.user_domain_name,
        )
