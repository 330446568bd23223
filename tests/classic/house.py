"""One engine with plugins, on one database and one cloud."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from stoker.classic.plugins import PluginChecks, PluginTypes
from stoker.clouds.connect import Clouds, CloudSettings
from stoker.engine.engine import Engine
from stoker.engine.settings import Settings
from stoker.engine.stored import StoredCredentials
from stoker.engine.trusts import ServiceUser
from stoker.engine.usecases.stacks import StackUseCases
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.stacks import Action, CreateStack, Goal, StackRef, UpdateStack
from tests.crash.site import SECRET, Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stoker.classic.loader import Plugins

SETTINGS = Settings(threads=2, look_seconds=0.05, in_doubt_seconds=0.5, client_timeout=5.0)
_SECONDS = 20.0
_TICK = 0.01


class House:
    """An engine that works on what is due."""

    def __init__(self, site: Site, folder: Path, plugins: Plugins) -> None:
        self.site = site
        self._database = Database(f"sqlite:///{folder / 'stoker.db'}", Sealer(b"k" * KEY_BYTES))
        t.metadata.create_all(self._database.engine)
        self._clouds = Clouds(CloudSettings(client_timeout=5.0), checks=PluginChecks(plugins))
        types = PluginTypes(Index(), plugins)
        user = ServiceUser(site.auth_url, "heat", SECRET)
        credentials = StoredCredentials(self._database, self._clouds, user)
        self._engine = Engine(self._database, types, credentials, SETTINGS, alone=True)
        self.stacks = StackUseCases(self._database, types, credentials, SETTINGS, self._engine.wake)
        self._engine.start()

    def end(self) -> None:
        self._engine.stop()
        self._clouds.close()
        self._database.close()

    def create(self, name: str, resources: dict[str, Any], **sections: Any) -> StackRef:
        ref = self.begin(name, resources, **sections)
        self.settle(ref)
        return ref

    def begin(self, name: str, resources: dict[str, Any], **sections: Any) -> StackRef:
        return self.stacks.create(self.site.caller, CreateStack(name, _goal(resources, sections)))

    def signal(self, ref: StackRef, resource: str, details: dict[str, Any]) -> None:
        self.stacks.signal(self.site.caller, ref, resource, details)

    def events(self, ref: StackRef, resource: str) -> list[tuple[str, str]]:
        """Return action and reason of each, oldest first."""
        e = t.event.c
        query = t.event.select().where(e.stack_id == ref.id, e.resource_name == resource)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(e.id)).all()
        return [(row.action, row.status_reason) for row in rows]

    def update(self, ref: StackRef, resources: dict[str, Any], **sections: Any) -> None:
        goal = _goal(resources, sections)
        self.stacks.update(self.site.caller, ref, UpdateStack(goal))
        self.settle(ref)

    def act(self, ref: StackRef, action: Action) -> None:
        self.stacks.act(self.site.caller, ref, action)
        self.settle(ref)

    def delete(self, ref: StackRef) -> None:
        self.stacks.delete(self.site.caller, ref)
        self.settle(ref)

    def settle(self, ref: StackRef) -> None:
        """Wait until nothing goes on."""
        eventually(lambda: not self.status(ref).endswith("IN_PROGRESS"))

    def status(self, ref: StackRef) -> str:
        view = self.stacks.show(self.site.caller, ref)
        return f"{view.action}_{view.status}"

    def reason(self, ref: StackRef) -> str:
        return self.stacks.show(self.site.caller, ref).reason

    def outputs(self, ref: StackRef) -> dict[str, Any]:
        view = self.stacks.show(self.site.caller, ref)
        return {each.key: each.value for each in view.outputs or ()}

    def id_of(self, ref: StackRef, resource: str) -> str | None:
        with self._database.read() as connection:
            r = t.resource.c
            query = t.resource.select().where(r.stack_id == ref.id, r.name == resource)
            rows = [row for row in connection.execute(query) if row.is_current]
            return None if not rows else rows[0].physical_id


def eventually(is_so: Callable[[], bool], seconds: float = _SECONDS) -> None:
    """Wait until it is so; fail when it does not become so."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to be"
        time.sleep(_TICK)


def _goal(resources: dict[str, Any], sections: dict[str, Any]) -> Goal:
    return Goal({"heat_template_version": "2021-04-16", "resources": resources, **sections})
