"""The parts of a running Stoker and how they hang together: store, engine, use cases, API.

Rule: nothing but wiring. This module is slow to import; import it when a child is starting anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoker.api.policy import Policy
from stoker.api.v1 import RULES, application
from stoker.app.plugins import plugins_in
from stoker.classic.plugins import PluginChecks, PluginTypes
from stoker.clouds.connect import Clouds
from stoker.engine.engine import Engine
from stoker.engine.usecases.catalog import TypeCatalog
from stoker.engine.usecases.stacks import StackUseCases
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import Sealer

if TYPE_CHECKING:
    from pathlib import Path
    from wsgiref.types import WSGIApplication

    from stoker.app.access import Access
    from stoker.engine.settings import Settings

STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the state is, and how the cloud is reached."""

    database: Path
    key: bytes = field(repr=False)
    access: Access
    settings: Settings
    plugin_dirs: tuple[Path, ...] = ()


class Installation:
    """API and engine over one database and one cloud, in this process."""

    def __init__(self, plan: Plan) -> None:
        self._database = Database(f"sqlite:///{plan.database}", Sealer(plan.key))
        upgrade(self._database)
        plugins = plugins_in(plan.plugin_dirs)
        types = PluginTypes(Index(), plugins)
        clouds = Clouds(plan.access.settings(plan.settings), checks=PluginChecks(plugins))
        credentials = plan.access.credentials(self._database, clouds)
        # The lock on the state directory makes this engine the only one.
        self._engine = Engine(self._database, types, credentials, plan.settings, alone=True)
        policy = Policy(RULES)
        stacks = StackUseCases(
            self._database,
            types,
            credentials,
            plan.settings,
            self._engine.wake,
            policy.may_use,
        )
        api = application(stacks, TypeCatalog(types), policy)
        self.application: WSGIApplication = plan.access.door(api, clouds)

    def start(self) -> None:
        """Begin to work on what is due."""
        self._engine.start()

    def stop(self) -> None:
        """Finish the steps under way, and give the rest back."""
        self._engine.stop(STOP_SECONDS)

    def close(self) -> None:
        """Close the database."""
        self._database.close()
