"""The use cases of signals: letting a resource go on that a hook holds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.hooks import Held, cleared
from stoker.engine.usecases.lookup import owned
from stoker.engine.usecases.marking import called
from stoker.engine.usecases.trying import until_unmoved
from stoker.errors import Invalid, Kind, Problem, Unsupported
from stoker.lang.registry import HOOKS
from stoker.store import hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.engine.operations import Operations
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import StackRef

UNSET_HOOK = "unset_hook"


class Signalling:
    """Takes signals; ``wake`` tells the engine that there is work."""

    def __init__(
        self, database: Database, operations: Operations, wake: Callable[[], None]
    ) -> None:
        self._database, self._operations, self._wake = database, operations, wake

    def signal(
        self, caller: Caller, stack: StackRef, resource: str, details: Mapping[str, Any]
    ) -> None:
        """Tell a resource something; raises Unsupported, and Invalid for a hook that is not set."""
        if UNSET_HOOK not in details:
            self._named(caller, stack, resource)
            raise Unsupported("signal is not supported for resource.")
        hook = details[UNSET_HOOK]
        if hook not in HOOKS:
            raise _refused(f'Invalid hook type "{hook}" for {resource}')
        until_unmoved(lambda: self._let_go(caller, stack, resource, hook))
        self._wake()

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
                raise _refused(f'The "{hook}" hook is not defined on {resource}')
            let_go = sealer.seal(held.let_go().within(progress))
            now, reason = self._database.now(), cleared(hook)
            hooks.let_go(connection, there, now, progress=let_go, reason=reason)


def _refused(text: str) -> Invalid:
    return Invalid([Problem(text, kind=Kind.REQUEST)])
