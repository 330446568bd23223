"""Engines on one database and one cloud: started, killed, paused, and looked into.

Each engine is what a process would be: its own connections to the database and to the cloud.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.engine.settings import Settings
from stoker.engine.stored import TRUSTS, StoredCredentials
from stoker.engine.trusts import ServiceUser
from stoker.engine.usecases.stacks import StackUseCases
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.stacks import Action, CreateStack, Goal, StackRef, UpdateStack
from tests.crash.site import SECRET, Site
from tests.crash.watch import Mortal, Watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stoker.clouds.connect import Clouds

SCALED = Settings(
    threads=3,
    beat_seconds=0.1,
    dead_seconds=0.6,
    look_seconds=0.15,
    in_doubt_seconds=1.2,
    client_timeout=0.6,
    action_retry_limit=1,
    retry_seconds=0.05,
    enable_stack_abandon=True,
    enable_stack_adopt=True,
)
"""The real figures divided by about a hundred, but for the beat: threads are not processes."""

TYPES = Index()
_PATIENT = 30.0
_COMPILED: dict[Any, Any] = {}
"""Statements compiled once for all cases: it saves a third of their time."""


@dataclass(frozen=True)
class Process:
    """One engine with what is its own."""

    engine: Mortal
    watch: Watch
    database: Database
    clouds: Clouds
    first_id: str

    def end(self) -> None:
        self.watch.resume()
        self.engine.stop()
        self.clouds.close()
        self.database.close()


class World:
    """One case: a database (a file of the folder, or the one of a URL), a cloud, engines."""

    def __init__(
        self, site: Site, where: Path | str, settings: Settings = SCALED, method: str = TRUSTS
    ) -> None:
        self.site, self.settings, self._method = site, settings, method
        self._url = where if isinstance(where, str) else f"sqlite:///{where / 'stoker.db'}"
        self.database = self._open()
        t.metadata.create_all(self.database.engine)
        self._clouds = site.clouds(_PATIENT)  # requests are not what is disturbed
        credentials = self._credentials(self.database, self._clouds)
        self.processes: list[Process] = []
        self._stacks = StackUseCases(self.database, TYPES, credentials, settings, self._wake)

    def end(self) -> None:
        """Stop every engine and close what is open."""
        for process in self.processes:
            process.end()
        self._clouds.close()
        self.database.close()

    # engines

    def start(self, *, wrap: Callable[[Database], Database] | None = None) -> Process:
        """Start another engine."""
        database = self._open()
        watch = Watch(database)
        clouds = self.site.clouds(self.settings.client_timeout)
        credentials = self._credentials(database, clouds)
        used = database if wrap is None else wrap(database)
        engine = Mortal(used, TYPES, credentials, self.settings, listen=watch)
        engine.start()
        process = Process(engine, watch, database, clouds, engine.lease.engine_id)
        self.processes.append(process)
        return process

    def is_buried(self, process: Process) -> bool:
        """Tell whether the engine counts as dead and holds no row any more."""
        s, r = t.service.c, t.resource.c
        with self.database.read() as connection:
            dead = connection.scalar(sa.select(s.deleted_at).where(s.id == process.first_id))
            held = sa.select(sa.func.count()).where(r.engine_id == process.first_id)
            return dead is not None and not connection.scalar(held)

    # operations

    def create(self, name: str, goal: Goal, *, undoes: bool = False) -> StackRef:
        what = CreateStack(name, goal, disable_rollback=not undoes)
        return self._stacks.create(self.site.caller, what)

    def update(self, ref: StackRef, goal: Goal, *, observe: bool = False) -> None:
        self._stacks.update(self.site.caller, ref, UpdateStack(goal, observe=observe))

    def act(self, ref: StackRef, action: Action) -> None:
        self._stacks.act(self.site.caller, ref, action)

    def snapshot(self, ref: StackRef) -> None:
        self._stacks.snapshot(self.site.caller, ref, None)

    def restore(self, ref: StackRef) -> None:
        """Go back to the first snapshot."""
        self._stacks.restore(self.site.caller, ref, self._first_snapshot(ref))

    def forget(self, ref: StackRef) -> None:
        """Delete the first snapshot."""
        self._stacks.forget_snapshot(self.site.caller, ref, self._first_snapshot(ref))

    def readopt(self, ref: StackRef) -> StackRef:
        """Abandon the stack and adopt it again."""
        document = self._stacks.abandon(self.site.caller, ref)
        what = CreateStack(ref.name, Goal(document["template"]), adopted=document)
        return self._stacks.create(self.site.caller, what)

    def _first_snapshot(self, ref: StackRef) -> str:
        return self._stacks.snapshots(self.site.caller, ref)[0].id

    def cancel(self, ref: StackRef) -> None:
        self._stacks.cancel(self.site.caller, ref)

    def undo(self, ref: StackRef) -> None:
        self._stacks.undo(self.site.caller, ref)

    def delete(self, ref: StackRef) -> None:
        self._stacks.delete(self.site.caller, ref)

    def show(self, ref: StackRef) -> Any:
        return self._stacks.show(self.site.caller, ref)

    def is_running(self, ref: StackRef) -> bool:
        """Tell whether an operation on the stack is under way, or on a snapshot of it."""
        with self.database.read() as connection:
            query = sa.select(t.stack).where(t.stack.c.id == ref.id)
            row = connection.execute(query).one()
            kept = sa.select(t.snapshot.c.status).where(t.snapshot.c.stack_id == ref.id)
            statuses = {row.status, *connection.scalars(kept)}
        return "IN_PROGRESS" in statuses or row.rollback_due is not None

    def until(
        self, condition: Callable[[], bool], what: str, seconds: float = 0.0, *, fails: bool = True
    ) -> None:
        """Wait for the condition; raises AssertionError with what it waited for in vain."""
        seconds = seconds or 30.0 + 4 * self.settings.in_doubt_seconds
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                if fails:
                    raise AssertionError(f"{what} did not happen within {seconds} s")
                return
            time.sleep(self.settings.look_seconds / 10)

    # what is recorded

    def rows(self, table: sa.Table) -> list[Any]:
        """Return all rows of a table, oldest first."""
        order = sorted(table.primary_key.columns, key=lambda c: c.name)
        with self.database.read() as connection:
            return list(connection.execute(sa.select(table).order_by(*order)))

    def _open(self) -> Database:
        database = Database(self._url, Sealer(b"k" * KEY_BYTES))
        database.engine.update_execution_options(compiled_cache=_COMPILED)
        return database

    def _credentials(self, database: Database, clouds: Clouds) -> StoredCredentials:
        user = ServiceUser(self.site.auth_url, "heat", SECRET)
        return StoredCredentials(database, clouds, user, self._method)

    def _wake(self) -> None:
        for process in self.processes:
            process.engine.wake()
