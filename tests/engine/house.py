"""A shelf, the use cases, and an engine that a test starts when it likes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from stoker.engine.engine import Engine
from stoker.engine.settings import Settings
from stoker.engine.usecases.stacks import StackUseCases
from stoker.store import tables as t
from stoker.usecases.stacks import Action, CreateStack, Goal, StackRef, UpdateStack
from tests.engine.shelf import ANN, Keys, Shelf, Things

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.resource import Types
    from stoker.store.database import Database

SETTINGS = Settings(
    threads=2,
    beat_seconds=0.05,
    dead_seconds=0.6,
    look_seconds=0.05,
    in_doubt_seconds=0.4,
    retry_seconds=0.01,
)


class House:
    """A shelf, the use cases, and an engine that can be started."""

    undoes = False
    """Whether stacks are made with rollback."""

    def __init__(
        self,
        database: Database,
        shelf: Shelf | None = None,
        types: Types | None = None,
        settings: Settings = SETTINGS,
    ) -> None:
        types = types or Things()
        self.database, self.shelf = database, shelf or Shelf()
        self.keys = Keys(self.shelf)
        keys: Any = self.keys
        self.engine = Engine(database, types, keys, settings)
        wake = self.engine.wake
        self.stacks = StackUseCases(database, types, keys, settings, wake)

    def create(self, **resources: str | Mapping[str, Any]) -> StackRef:
        """Begin a stack of resources, each given whole or by its type alone."""
        what = CreateStack("s", goal(resources), disable_rollback=not self.undoes)
        return self.stacks.create(ANN, what)

    def update(self, ref: StackRef, **resources: str | Mapping[str, Any]) -> str:
        """Update the stack and return how that ended."""
        self.stacks.update(ANN, ref, UpdateStack(goal(resources)))
        return self.ended(ref)

    def act(self, ref: StackRef, action: Action) -> str:
        """Do it to the stack and return how that ended."""
        self.stacks.act(ANN, ref, action)
        return self.ended(ref)

    def ended(self, ref: StackRef) -> str:
        """Return how the stack's operation ended."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with self.database.read() as connection:
                row = connection.execute(t.stack.select().where(t.stack.c.id == ref.id)).one()
            if row.status != "IN_PROGRESS" and row.rollback_due is None:
                return f"{row.action}_{row.status}"
            time.sleep(0.01)
        raise AssertionError(f"{row.action} did not end")

    def stack(self, ref: StackRef) -> Any:
        """Return the stack's row."""
        with self.database.read() as connection:
            return connection.execute(t.stack.select().where(t.stack.c.id == ref.id)).one()

    def states(self) -> dict[str, str]:
        """Return the states of all resources."""
        return {name: f"{row.action}_{row.status}" for name, row in self.rows().items()}

    def beat(self) -> int:
        """Return how often the engine has beaten, under whatever names."""
        with self.database.read() as connection:
            return sum(row.beat for row in connection.execute(t.service.select()))

    def rows(self) -> dict[str, Any]:
        with self.database.read() as connection:
            return {row.name: row for row in connection.execute(t.resource.select())}


def goal(resources: Mapping[str, str | Mapping[str, Any]]) -> Goal:
    """Return what wants these resources, each given whole or by its type alone."""
    whole = {
        name: {"type": each} if isinstance(each, str) else dict(each)
        for name, each in resources.items()
    }
    return Goal({"heat_template_version": "2021-04-16", "resources": whole})
