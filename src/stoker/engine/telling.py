"""Tell others what becomes of stacks: notifications under Heat's names.

Rule: nothing waits for whoever is told. An event is told once at least; that it was is written down
after it.
"""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from stoker.errors import Unavailable
from stoker.store import telling
from stoker.store.database import DatabaseError
from stoker.store.passing import code

if TYPE_CHECKING:
    from datetime import datetime

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
_LOG = logging.getLogger(__name__)


class Tell(Protocol):
    """Tells of an event; returns when it is told, and raises Unavailable where it cannot be."""

    def __call__(self, event_type: str, body: dict[str, Any]) -> None: ...


class Telling:
    """Looks for what is to be told, in a thread of its own."""

    def __init__(self, database: Database, tell: Tell) -> None:
        self._database, self._tell = database, tell
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stoker-tell", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after what is being told, unless whoever hears it keeps us waiting."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

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

    def _run(self) -> None:
        before = self._database.now() - OLD_SECONDS
        self._looked(lambda: self._database.again(partial(telling.leave_out, before=before)))
        while not self._stopping.is_set():
            if self._looked(self.once) != BATCH:
                self._stopping.wait(LOOK_SECONDS)

    def _looked(self, look: Any) -> Any:
        try:
            return look()
        except DatabaseError as e:
            _LOG.warning("the database did not answer; telling goes on later: %s", code(e.orig))
        except Unavailable as e:
            _LOG.warning("telling goes on later: %s", e)
        return None


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
        "create_at": _moment(event.created_at),
        "updated_at": _moment(event.updated_at),
        "description": event.description,
        "tags": list(event.tags),
    }


def _moment(time: datetime | None) -> str | None:
    return None if time is None else f"{time.isoformat()[:19]}Z"
