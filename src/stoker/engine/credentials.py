"""With which credentials work is done that outlives a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from stoker.clouds.credential import Token
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from stoker.sdk.cloud import Cloud, Constraints, Guard
    from stoker.usecases.caller import Caller

NO_GOOD: Final = frozenset({401, 403, 404})
"""Answers to a log-in with credentials that are lost or wrong, or not to be given any more."""


def token_of(auth_url: str, caller: Caller) -> Token:
    """Return the caller's own token as a credential."""
    return Token(auth_url, caller.token, caller.project_id)


def age(stack: Any, now: float) -> float:
    """Return how many seconds ago the operation was accepted that a stack is at work on.

    What a cloud was known to have before that may have changed since, with the user's knowledge:
    a network was made anew under its old name, and the stack is to be in the new one.
    """
    began = stack.updated_at or stack.created_at
    seconds: float = (moment(now) - began).total_seconds()
    return max(0.0, seconds)


class Credentials(Protocol):
    """Gives the engine the clouds of stacks, and the use cases their callers' look-ups."""

    def delegated(self, caller: Caller) -> AbstractContextManager[int | None]:
        """Give the id of new stored credentials, or None where none need be stored.

        Where the block fails they are taken back. Raises UserError where the caller does not
        bring what they are made of.
        """
        ...

    def serves(self, creds_id: int, caller: Caller, *, as_it_is: bool = False) -> bool:
        """Tell whether these stored credentials can do what the caller asks for of a stack that
        has them. Where not, the stack gets the caller's own. ``as_it_is``: nothing that the
        caller brings comes into the stack, it is deleted, say. Raises UserError where what he
        brings is wrong."""
        ...

    def is_lost(self, creds_id: int, caller: Caller) -> bool:
        """Tell whether these stored credentials are good for nothing any more, whosever they are,
        and the caller has some to give in their place."""
        ...

    def constraints(self, caller: Caller) -> Constraints:
        """Return who answers look-ups, as the caller sees the cloud."""
        ...

    def cloud_for(self, caller: Caller) -> Cloud:
        """Return the cloud as the caller sees it."""
        ...

    def cloud_of(self, stack: Any, guard: Guard) -> Cloud:
        """Return the cloud as the owner of a stack sees it; raises Unsupported without any."""
        ...

    def tend(self) -> None:
        """Take back what no stack needs any more."""
        ...

    def release_unused(self) -> None:
        """Give up what no stack uses: for whoever has the state to itself, before any request."""
        ...
