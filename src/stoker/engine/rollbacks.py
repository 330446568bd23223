"""Beginning the rollbacks of failed operations, whoever has seen them fail.

A rollback is planned like an update to the last goal that was reached. One that cannot be
planned has failed, with the reason; a stack of which something else was asked meanwhile
wants none any more.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from stoker.engine.instants import Instant
from stoker.errors import Bug, StokerError, Unavailable
from stoker.store import rollbacks
from stoker.store.beginning import begin
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.instants import Listen
    from stoker.engine.operations import Operations

log = logging.getLogger(__name__)

_HELD_SECONDS = 10.0
"""After so long another engine tries: this one is gone, or the plan takes too long."""
_TRIES = 10


class Rollbacks:
    """Begins what is due; ``wake`` tells the engine that there is work."""

    def __init__(self, operations: Operations, wake: Callable[[], None], listen: Listen) -> None:
        self._operations, self._wake, self._listen = operations, wake, listen
        self._database = operations.database

    def begin_due(self) -> None:
        """Begin every rollback that is due."""
        while self._is_due():
            self._listen(Instant.COMMIT_ABOUT_TO_BEGIN, None)
            with self._database.write() as connection:
                stack_id = rollbacks.take(connection, self._database.now(), _HELD_SECONDS)
            if stack_id is not None:
                self._begin(stack_id)
                self._wake()

    def _is_due(self) -> bool:
        with self._database.read() as connection:
            return rollbacks.is_due(connection, self._database.now())

    def _begin(self, stack_id: str) -> None:
        for _ in range(_TRIES):
            stack = self._operations.stack(stack_id)
            if stack.rollback_due is None:
                return
            try:
                self._begin_as_seen(stack)
            except Moved:
                continue
            except Unavailable:
                raise  # it stays due
            except StokerError as e:
                self._give_up(stack, e)
            return

    def _begin_as_seen(self, stack: Any) -> None:
        operation = self._operations.roll_back(stack, stack.status_reason)
        self._listen(Instant.COMMIT_ABOUT_TO_BEGIN, None)
        now = self._database.now()
        self._database.again(partial(begin, op=operation, now=now))

    def _give_up(self, stack: Any, error: StokerError) -> None:
        log.error("stack %s cannot be rolled back: %s", stack.id, error)
        told = "internal error; the engine's log says more" if isinstance(error, Bug) else error
        reason = f"The rollback cannot be planned: {told}"
        self._listen(Instant.COMMIT_ABOUT_TO_BEGIN, None)
        with self._database.write() as connection:
            rollbacks.give_up(
                connection, stack.id, stack.version, reason, stack.status_reason,
                self._database.now(),
            )  # fmt: skip
