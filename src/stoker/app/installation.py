"""The parts of a running Stoker and how they hang together: store, engine, use cases, API.

Rule: nothing but wiring. This module is slow to import; import it when a child is starting anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from stoker.api import cfn
from stoker.api.policy import Policy
from stoker.api.settings import Settings as ApiSettings
from stoker.api.v1 import application
from stoker.app.plugins import plugins_in
from stoker.app.rules import RULES
from stoker.app.yaql import YaqlLimits, provide_yaql
from stoker.classic.plugins import PluginChecks, PluginTypes
from stoker.clouds.connect import Clouds
from stoker.engine.delivering import POST_SECONDS, Delivering
from stoker.engine.engine import Engine
from stoker.engine.usecases.catalog import TypeCatalog
from stoker.engine.usecases.change_sets import ChangeSetUseCases
from stoker.engine.usecases.offered_types import OfferedTypes
from stoker.engine.usecases.software import SoftwareUseCases
from stoker.engine.usecases.stacks import StackUseCases
from stoker.fetch import Limits, post
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import Sealer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from wsgiref.types import WSGIApplication

    from stoker.api.versions import Health
    from stoker.app.access import Access
    from stoker.engine.settings import Settings

STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the state is, and how the cloud is reached; ``url`` may hold a password."""

    url: str = field(repr=False)
    key: bytes = field(repr=False)
    access: Access
    settings: Settings
    plugin_dirs: tuple[Path, ...] = ()
    former_keys: tuple[bytes, ...] = field(default=(), repr=False)
    yaql: YaqlLimits = field(default_factory=YaqlLimits)


class Parts:
    """What engines and APIs stand on, over one database and one cloud."""

    def __init__(self, plan: Plan) -> None:
        provide_yaql(plan.yaql)
        self.database = Database(plan.url, Sealer(plan.key, plan.former_keys))
        self._plan = plan
        plugins = plugins_in(plan.plugin_dirs)
        self._types = PluginTypes(Index(), plugins)
        checks = PluginChecks(plugins)
        self._clouds = Clouds(plan.access.settings(plan.settings), checks=checks)
        self._credentials = plan.access.credentials(self.database, self._clouds)

    def engine(self, *, alone: bool) -> Engine:
        """Return an engine that has not started; ``alone`` as there."""
        settings = self._plan.settings
        return Engine(self.database, self._types, self._credentials, settings, alone=alone)

    def delivering(self, engine: Engine, *, private: bool) -> Delivering:
        """Return what sends events to webhooks beside the engine, so that they die together.

        ``private``: to any address, not only public ones.
        """
        limits = Limits(0, POST_SECONDS, private)
        send = partial(post, limits=limits)
        return Delivering(self.database, send, lambda: engine.lease.engine_id)

    def application(
        self,
        wake: Callable[[], None],
        policy: Policy | None = None,
        settings: ApiSettings | None = None,
        health: Health = tuple,
    ) -> WSGIApplication:
        """Return the API behind a check of who asks; ``wake`` is told of accepted requests."""
        policy = policy or Policy(RULES)
        stacks = self.stacks(wake, policy)
        api = application(stacks, self.catalog(), self.software(), policy, settings, health)
        return self._plan.access.door(api, self._clouds)

    def cfn(
        self,
        wake: Callable[[], None],
        policy: Policy | None = None,
        settings: ApiSettings | None = None,
        health: Health = tuple,
    ) -> WSGIApplication:
        """Return the CloudFormation API behind a check of signatures; ``wake`` as before."""
        policy, settings = policy or Policy(RULES), settings or ApiSettings()
        stacks = self.stacks(wake, policy)
        api = cfn.application(stacks, self.change_sets(stacks), policy, settings, health)
        access, clouds = self._plan.access, self._clouds
        return cfn.signed(api, access.door(api, clouds), access.prove(clouds), settings)

    def stacks(self, wake: Callable[[], None], policy: Policy) -> StackUseCases:
        """Return the use cases of stacks; ``wake`` is told of accepted requests."""
        settings, may_use = self._plan.settings, policy.may_use
        return StackUseCases(self.database, self._types, self._credentials, settings, wake, may_use)

    def catalog(self) -> TypeCatalog:
        """Return what is known of resource types."""
        return TypeCatalog(OfferedTypes(self._types, self._plan.settings.offer))

    def software(self) -> SoftwareUseCases:
        """Return the use cases of software configs and deployments."""
        return SoftwareUseCases(self.database, self._plan.settings)

    def change_sets(self, stacks: StackUseCases) -> ChangeSetUseCases:
        """Return the use cases of change sets, on those of stacks."""
        return ChangeSetUseCases(self.database, stacks)

    def close(self) -> None:
        """Close the database."""
        self.database.close()


class Installation:
    """API and engine over one database and one cloud, in this process."""

    def __init__(self, plan: Plan) -> None:
        self._parts = Parts(plan)
        upgrade(self._parts.database)
        # The lock on the state directory makes this engine the only one.
        self._engine = self._parts.engine(alone=True)
        policy = Policy(RULES)
        wake = self._engine.wake
        # The user is the operator: any address may be asked, and told.
        settings = ApiSettings(fetch_private_addresses=True)
        self._delivering = self._parts.delivering(self._engine, private=True)
        self.application: WSGIApplication = self._parts.application(wake, policy, settings)
        self.cfn: WSGIApplication = self._parts.cfn(wake, policy, settings)

    def start(self) -> None:
        """Begin to work on what is due."""
        self._engine.start()
        self._delivering.start()

    def stop(self) -> None:
        """Finish the steps under way, and give the rest back."""
        self._delivering.stop()
        self._engine.stop(STOP_SECONDS)

    def close(self) -> None:
        """Close the database."""
        self._parts.close()
