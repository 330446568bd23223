"""Tell others what becomes of stacks: notifications under Heat's names.

Rule: nothing waits for whoever is told. An event is told once at least; that it was is written down
after it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from stoker.engine.looking import Looking
from stoker.store import telling
from stoker.usecases.moment import moment

if TYPE_CHECKING:
    from stoker.store.database import Database
    from stoker.store.telling import Untold

LOOK_SECONDS: Final = 1.0
OURS_SECONDS: Final = 60.0
"""For so long nobody else tells what was taken up."""
OLD_SECONDS: Final = 86_400.0
"""What is older when an engine starts, nobody wants to hear: it was to be told to no one."""
BATCH: Final = 50
STOP_SECONDS: Final = 2.0
_PHASES: Final = {"IN_PROGRESS": "start", "COMPLETE": "end", "FAILED": "error"}


class Tell(Protocol):
    """Tells of an event; returns when it is told, and raises Unavailable where it cannot be."""

    def __call__(self, event_type: str, body: dict[str, Any]) -> None: ...


class Telling:
    """Looks for what is to be told, in a thread of its own."""

    def __init__(self, database: Database, tell: Tell) -> None:
        self._database, self._tell = database, tell
        self._has_begun = False
        self._looking = Looking("tell", self._look, LOOK_SECONDS)

    def start(self) -> None:
        """Begin."""
        self._looking.start()
        self._looking.wake()

    def stop(self) -> None:
        """End after what is being told, unless whoever hears it keeps us waiting."""
        self._looking.end()
        self._looking.join(STOP_SECONDS)

    def once(self) -> int:
        """Tell what is due, and return how much that was."""
        now = self._database.now()
        take = partial(telling.take_up, now=now, until=now + OURS_SECONDS, most=BATCH)
        found = self._database.again(take)
        for event in found:
            self._tell(event_type(event), body(event))
        if found:
            ids = [event.id for event in found]
            self._database.again(lambda connection: telling.told(connection, ids))
        return len(found)

    def _look(self) -> bool:
        """Tell what is due, and return whether there may be more."""
        if not self._has_begun:
            before = self._database.now() - OLD_SECONDS
            self._database.again(partial(telling.leave_out, before=before))
            self._has_begun = True
        return self.once() == BATCH


def event_type(event: Untold) -> str:
    """Return ``orchestration.stack.create.end`` and the like."""
    return f"orchestration.stack.{event.action.lower()}.{_PHASES[event.status]}"


def body(event: Untold) -> dict[str, Any]:
    """Return what is told of an event, under Heat's names."""
    return {
        "tenant_id": event.project_id,
        "user_id": event.username,
        "user_identity": event.user_id,
        "username": event.username,
        "stack_identity": event.stack_id,
        "stack_name": event.stack_name,
        "state": f"{event.action}_{event.status}",
        "state_reason": event.reason,
        "create_at": moment(event.created_at),
        "updated_at": moment(event.updated_at),
        "description": event.description,
        "tags": list(event.tags),
    }
