"""The use cases of stacks, whole: reading and changing behind the one Protocol."""

from __future__ import annotations

import builtins
from dataclasses import fields
from typing import TYPE_CHECKING

from stoker.engine.usecases.abandoning import Abandoning
from stoker.engine.usecases.changing import Changing
from stoker.engine.usecases.marking import Marking
from stoker.engine.usecases.reading import Reading
from stoker.engine.usecases.signalling import Signalling
from stoker.engine.usecases.snapshotting import Snapshotting
from stoker.store import engines
from stoker.usecases.stacks import EngineView

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.credentials import Credentials
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.engines import EngineRow
    from stoker.usecases.caller import Caller


SHOWN_SECONDS = 3600.0
"""How long an engine that was found dead is listed."""


def anybody(_caller: Caller, _type_name: str) -> bool:
    """Let everybody use every type."""
    return True


class StackUseCases(Reading, Snapshotting, Abandoning, Marking, Signalling):
    """``usecases.stacks.Stacks``, in process."""

    def __init__(
        self,
        database: Database,
        types: Types,
        credentials: Credentials,
        settings: Settings,
        wake: Callable[[], None],
        may_use: Callable[[Caller, str], bool] = anybody,
    ) -> None:
        hidden = settings.hidden_stack_tags
        Reading.__init__(self, database, types, credentials.cloud_for, hidden_tags=hidden)
        Changing.__init__(self, database, types, credentials, settings, wake, may_use)
        Marking.__init__(self, database, self._operations)
        Signalling.__init__(self, database, types, self._operations, wake)
        self._dead_seconds = settings.dead_seconds

    def engines(self, caller: Caller) -> builtins.list[EngineView]:
        """Return the engines at work, and those found dead within the hour."""
        del caller  # the policy has let them through, and engines are of no project
        now = self._database.now()
        with self._database.read() as connection:
            rows = engines.listed(connection, now - SHOWN_SECONDS)
        return [_engine_view(row, now - self._dead_seconds) for row in rows]


def _engine_view(row: EngineRow, since: float) -> EngineView:
    is_up = row.deleted_at is None and row.updated_at.timestamp() >= since
    return EngineView(**{each.name: getattr(row, each.name) for each in fields(row)}, is_up=is_up)
