"""The use cases of signals: telling a resource something, or letting it go on after a hook.

What a signal says is committed before the caller hears that it was taken: as the state that
the type makes of it, or as mail for the resource's next step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.hooks import Held, cleared
from stoker.engine.usecases.lookup import owned
from stoker.engine.usecases.marking import called
from stoker.engine.usecases.trying import until_unmoved
from stoker.errors import Conflict, Unsupported, UserError, bad_request
from stoker.lang.registry import HOOKS
from stoker.sdk.signal import HEAR, ON_SIGNAL, SIGNAL
from stoker.store import hooks, inbox
from stoker.store.happening import happened
from stoker.usecases.stacks import Deaf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.engine.operations import Operations
    from stoker.sdk.resource import Resource, Types
    from stoker.store.database import Database
    from stoker.store.stacks import Connection
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import StackRef

UNSET_HOOK = "unset_hook"
MOST_WAITING = 1000
"""How many signals may wait for a resource's next step."""
MOST_BYTES = 1_048_576
"""How large the state may become that signals make."""


class Signalling:
    """Takes signals; ``wake`` tells the engine that there is work."""

    def __init__(
        self, database: Database, types: Types, operations: Operations, wake: Callable[[], None]
    ) -> None:
        self._database, self._operations, self._wake = database, operations, wake
        self._types = types

    def signal(
        self, caller: Caller, stack: StackRef, resource: str, details: Mapping[str, Any]
    ) -> None:
        """Tell a resource something.

        Raises Unsupported where its type takes no signals, or not now; Conflict where too many
        wait; Invalid for a hook that is not set, and what the type raises of the details.
        """
        if UNSET_HOOK in details:
            self._unset(caller, stack, resource, details[UNSET_HOOK])
        else:
            deaf = until_unmoved(lambda: self._told(caller, stack, resource, details))
            if deaf is not None:
                raise Deaf(deaf)
        self._wake()

    def _told(
        self, caller: Caller, ref: StackRef, resource: str, details: Mapping[str, Any]
    ) -> str | None:
        """Write what the resource is told, or an event that says why not; return that, too."""
        row = self._named(caller, ref, resource)
        kind = self._types.get(row.implementation)
        if kind is None or not (kind.supports(ON_SIGNAL) or kind.supports(HEAR)):
            raise Unsupported("signal is not supported for resource.")
        with self._database.write() as connection:
            there, now = inbox.addressed(connection, row.stack_id, row.id), self._database.now()
            if there.action in kind.deaf_actions:
                text = f"Cannot signal resource during {there.action}"
                happened(connection, there, now, (there.action, there.status, text))
                return f"Signal resource during {there.action} is not supported."
            if kind.supports(ON_SIGNAL):
                self._settled(connection, kind, there, details, now)
            else:
                self._posted(connection, there, details, now)
        return None

    def _settled(
        self, connection: Connection, kind: Resource[Any], row: Any, details: Mapping[str, Any],
        now: float,
    ) -> None:  # fmt: skip
        """Write the state that the signal brings the resource to, and end what waits for it."""
        sealer, before = self._database.sealer, inbox.state(connection, row.id)
        signalled = kind.on_signal(sealer.open(before.payload) if before else {}, details)
        state = sealer.seal(dict(signalled.state))
        if len(state) > MOST_BYTES:
            raise UserError(f"{row.name} cannot keep more than {MOST_BYTES} bytes of signals")
        inbox.settle(connection, row.id, state, now)
        happened(connection, row, now, (SIGNAL.upper(), row.status, signalled.reason))
        inbox.rouse(connection, row.stack_id, self._listens, now)

    def _posted(
        self, connection: Connection, row: Any, details: Mapping[str, Any], now: float
    ) -> None:
        if inbox.waiting(connection, row.id) >= MOST_WAITING:
            raise Conflict(f"{MOST_WAITING} signals wait for {row.name} already; try again later")
        inbox.post(connection, row.id, self._database.sealer.seal(dict(details)), now)

    def _listens(self, implementation: str) -> bool:
        kind = self._types.get(implementation)
        return kind is not None and kind.listens

    def _unset(self, caller: Caller, ref: StackRef, resource: str, hook: Any) -> None:
        if hook not in HOOKS:
            raise bad_request(f'Invalid hook type "{hook}" for {resource}')
        until_unmoved(lambda: self._let_go(caller, ref, resource, hook))

    def _named(self, caller: Caller, ref: StackRef, resource: str) -> Any:
        with self._database.read() as connection:
            stack = owned(connection, caller, ref)
        return called(resource, self._operations.rows(stack.id))

    def _let_go(self, caller: Caller, ref: StackRef, resource: str, hook: str) -> None:
        row = self._named(caller, ref, resource)
        sealer = self._database.sealer
        with self._database.write() as connection:
            there = hooks.locked(connection, row.stack_id, row.id)
            progress = {} if there.progress is None else sealer.open(there.progress)
            held = Held.of(progress, there.traversal_id)
            if held.at != hook or there.node_id is None:
                raise bad_request(f'The "{hook}" hook is not defined on {resource}')
            let_go = sealer.seal(held.let_go().within(progress))
            now, reason = self._database.now(), cleared(hook)
            hooks.let_go(connection, there, now, progress=let_go, reason=reason)
