"""The use cases of software configs and deployments, on the store.

Rule: what a project may not see is not there for it. What configs hold and what guests have said
may be secret, so all of it lies sealed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.configs import config_row
from stoker.errors import Conflict, LimitExceeded, NotFound
from stoker.store import software as rows
from stoker.store.paging import Page
from stoker.usecases.software import ConfigView, DeploymentView, NewConfig

if TYPE_CHECKING:
    from stoker.engine.settings import Settings
    from stoker.store.database import Database
    from stoker.store.software import ConfigRow, DeploymentRow
    from stoker.store.stacks import Connection
    from stoker.usecases.caller import Caller
    from stoker.usecases.software import ConfigQuery, DeploymentChange, NewDeployment


class SoftwareUseCases:
    """``usecases.software.Software``, in process."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database, self._settings = database, settings

    # configs

    def create_config(self, caller: Caller, what: NewConfig) -> ConfigView:
        """Keep a config; raises LimitExceeded."""
        sealer, id = self._database.sealer, str(uuid4())
        row = config_row(sealer, id, caller.project_id, what, self._now())
        most = self._settings.max_software_configs_per_tenant

        def keep(connection: Connection) -> None:
            there = rows.count_configs(connection, caller.project_id)
            _check_room("software configs", most, there)
            rows.add_config(connection, row)

        self._database.again(keep)
        return self._config_view(row)

    def configs(self, caller: Caller, query: ConfigQuery) -> list[ConfigView]:
        """Return configs without what they hold, oldest first."""
        project = None if query.all_projects and caller.is_admin else caller.project_id
        page = Page(query.limit, query.marker, ("created_at",))
        with self._database.read() as connection:
            return [self._config_view(row) for row in rows.configs(connection, project, page)]

    def config(self, caller: Caller, config_id: str) -> ConfigView:
        """Return a config; raises NotFound."""
        with self._database.read() as connection:
            row = rows.config(connection, config_id)
        if row is None or not _is_seen(caller, row.project_id):
            raise NotFound("Software config", config_id)
        return self._config_view(row)

    def delete_config(self, caller: Caller, config_id: str) -> None:
        """Forget a config; raises NotFound, Conflict where a deployment uses it."""

        def forget(connection: Connection) -> None:
            _hold(connection, caller, config_id)
            if rows.is_deployed(connection, config_id):
                raise Conflict(
                    f"Software config with id {config_id} can not be deleted as it is referenced"
                    " by a software deployment; delete that first."
                )
            rows.delete_config(connection, config_id)

        self._database.again(forget)

    # deployments

    def create_deployment(self, caller: Caller, what: NewDeployment) -> DeploymentView:
        """Keep a deployment; raises NotFound where its config is not there, LimitExceeded."""
        row = self._new_row(caller, what)
        most = self._settings.max_software_deployments_per_tenant

        def keep(connection: Connection) -> None:
            _hold(connection, caller, what.config_id)
            there = rows.count_deployments(connection, caller.project_id)
            _check_room("software deployments", most, there)
            rows.add_deployment(connection, row)

        self._database.again(keep)
        return self._deployment_view(row)

    def deployments(self, caller: Caller, server_id: str | None) -> list[DeploymentView]:
        """Return what the project sees, oldest first."""
        with self._database.read() as connection:
            found = rows.deployments(connection, caller.project_id, server_id)
        return [self._deployment_view(row) for row in found]

    def deployment(self, caller: Caller, deployment_id: str) -> DeploymentView:
        """Return a deployment; raises NotFound."""
        with self._database.read() as connection:
            return self._deployment_view(_seen(connection, caller, deployment_id))

    def update_deployment(
        self, caller: Caller, deployment_id: str, what: DeploymentChange
    ) -> DeploymentView:
        """Change what is given; raises NotFound, also where its new config is not there."""
        values, now = self._changed(what), self._now()

        def change(connection: Connection) -> DeploymentRow:
            _seen(connection, caller, deployment_id)
            if what.config_id is not None:
                _hold(connection, caller, what.config_id)
            rows.change_deployment(connection, deployment_id, values, now)
            return _seen(connection, caller, deployment_id)

        return self._deployment_view(self._database.again(change))

    def delete_deployment(self, caller: Caller, deployment_id: str) -> None:
        """Forget a deployment; raises NotFound."""

        def forget(connection: Connection) -> None:
            _seen(connection, caller, deployment_id)
            rows.delete_deployment(connection, deployment_id)

        self._database.again(forget)

    def server_configs(self, caller: Caller, server_id: str) -> list[ConfigView]:
        """Return what is deployed on a server, by name."""
        project = None if caller.is_admin else caller.project_id
        with self._database.read() as connection:
            found = rows.configs_on(connection, project, server_id)
        return [self._config_view(row) for row in found]

    # parts

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._database.now(), UTC)

    def _new_row(self, caller: Caller, what: NewDeployment) -> DeploymentRow:
        return rows.DeploymentRow(
            id=str(uuid4()),
            project_id=caller.project_id,
            stack_user_project_id=what.stack_user_project_id,
            config_id=what.config_id,
            server_id=what.server_id,
            input_values=self._sealed(dict(what.input_values)),
            output_values=None,
            action=what.action or "",
            status=what.status or "",
            status_reason=what.status_reason or "",
            created_at=self._now(),
            updated_at=None,
        )

    def _changed(self, what: DeploymentChange) -> dict[str, Any]:
        values = {
            "config_id": what.config_id,
            "input_values": self._sealed(what.input_values),
            "output_values": self._sealed(what.output_values),
            "action": what.action,
            "status": what.status,
            "status_reason": what.status_reason,
        }
        return {name: value for name, value in values.items() if value is not None}

    def _sealed(self, value: Any) -> bytes | None:
        return None if value is None else self._database.sealer.seal(value)

    def _opened(self, sealed: bytes | None) -> Any:
        return None if sealed is None else self._database.sealer.open(sealed)

    def _config_view(self, row: ConfigRow) -> ConfigView:
        name, group = row.name or None, row.group or None
        content = self._opened(row.config)
        if content is not None:
            lists = {key: tuple(content[key]) for key in ("inputs", "outputs")}
            content = NewConfig(name, group, **content | lists)
        return ConfigView(row.id, row.project_id, name, group, row.created_at, content)

    def _deployment_view(self, row: DeploymentRow) -> DeploymentView:
        return DeploymentView(
            id=row.id,
            config_id=row.config_id,
            server_id=row.server_id,
            input_values=self._opened(row.input_values) or {},
            output_values=self._opened(row.output_values),
            action=row.action or None,
            status=row.status or None,
            status_reason=row.status_reason or None,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )


def _check_room(what: str, most: int, there: int) -> None:
    if there >= most >= 0:
        raise LimitExceeded(
            f"You have reached the maximum {what} per tenant, {most}. Please delete some {what}."
        )


def _is_seen(caller: Caller, *projects: str | None) -> bool:
    return caller.is_admin or caller.project_id in projects


def _hold(connection: Connection, caller: Caller, config_id: str) -> None:
    """Keep a config from being deleted until the transaction ends; raises NotFound."""
    project = rows.hold_config(connection, config_id)
    if project is None or not _is_seen(caller, project):
        raise NotFound("Software config", config_id)


def _seen(connection: Connection, caller: Caller, deployment_id: str) -> DeploymentRow:
    row = rows.deployment(connection, deployment_id)
    if row is None or not _is_seen(caller, row.project_id, row.stack_user_project_id):
        raise NotFound("Deployment", deployment_id)
    return row
