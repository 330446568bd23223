"""The rows of software configs and deployments, kept and found.

A name, a group, an action or a status that is not given is an empty text here. Whoever takes up
or gives up the use of a config holds its row, so that none goes which is used. Who holds stacks
and resources, too, holds configs after them, by id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.paging import ordered
from stoker.store.resources import aware
from stoker.store.tables import software_config, software_deployment

if TYPE_CHECKING:
    from datetime import datetime

    from stoker.store.paging import Page

_c, _d = software_config.c, software_deployment.c


@dataclass(frozen=True, slots=True)
class ConfigRow:
    """A config; ``config`` sealed, None where it was not asked for."""

    id: str
    project_id: str
    name: str
    group: str
    created_at: datetime
    config: bytes | None = None


@dataclass(frozen=True, slots=True)
class DeploymentRow:
    """A deployment; the values sealed."""

    id: str
    project_id: str
    stack_user_project_id: str | None
    config_id: str
    server_id: str
    input_values: bytes | None
    output_values: bytes | None
    action: str
    status: str
    status_reason: str
    created_at: datetime
    updated_at: datetime | None


# configs


def add_config(connection: sa.Connection, row: ConfigRow) -> None:
    """Add a config; its time is in UTC."""
    values = {name: getattr(row, name) for name in ConfigRow.__slots__}
    values["created_at"] = row.created_at.replace(tzinfo=None)
    connection.execute(sa.insert(software_config).values(values))


def configs(connection: sa.Connection, project_id: str | None, page: Page) -> list[ConfigRow]:
    """Return a page of a project's configs, or of all; the marker is an id."""
    query = sa.select(*_LISTED)
    if project_id is not None:
        query = query.where(_c.project_id == project_id)
    last = None if page.marker is None else _c.id == page.marker
    query = ordered(
        connection, query, page, {"created_at": _c.created_at}, tie=_c.id, last=last
    )  # fmt: skip
    return [_config(found) for found in connection.execute(query)]


def config(connection: sa.Connection, config_id: str) -> ConfigRow | None:
    """Return a config whole."""
    query = sa.select(*_LISTED, _c.config).where(_c.id == config_id)
    found = connection.execute(query).first()
    return None if found is None else _config(found)


def hold_config(connection: sa.Connection, config_id: str) -> str | None:
    """Lock a config and return its project; None where there is none."""
    query = sa.select(_c.project_id).where(_c.id == config_id).with_for_update()
    return connection.scalar(query)


def is_deployed(connection: sa.Connection, config_id: str) -> bool:
    """Tell whether a deployment uses a config."""
    query = sa.select(_d.id).where(_d.config_id == config_id).limit(1)
    return connection.scalar(query) is not None


def delete_config(connection: sa.Connection, config_id: str) -> None:
    """Delete a config that is held."""
    connection.execute(sa.delete(software_config).where(_c.id == config_id))


def give_up_config(connection: sa.Connection, config_id: str) -> None:
    """Delete a config, but not one that a deployment uses: it stays for that."""
    if hold_config(connection, config_id) is not None and not is_deployed(connection, config_id):
        delete_config(connection, config_id)


def count_configs(connection: sa.Connection, project_id: str) -> int:
    """Return how many a project has."""
    return _count(connection, _c.project_id == project_id)


_LISTED = (_c.id, _c.project_id, _c.name, _c.group, _c.created_at)


def _config(found: Any) -> ConfigRow:
    values = list(found)
    values[4] = aware(values[4])
    return ConfigRow(*values)


# deployments


def add_deployment(connection: sa.Connection, row: DeploymentRow) -> None:
    """Add a deployment of a config that is held; its time is in UTC."""
    values = {name: getattr(row, name) for name in DeploymentRow.__slots__}
    values["created_at"] = row.created_at.replace(tzinfo=None)
    connection.execute(sa.insert(software_deployment).values(values))


def deployments(
    connection: sa.Connection, project_id: str, server_id: str | None
) -> list[DeploymentRow]:
    """Return what a project sees, oldest first: of all servers, or of one."""
    query = sa.select(*_SHOWN).where(_seen_from(project_id)).order_by(_d.created_at, _d.id)
    if server_id is not None:
        query = query.where(_d.server_id == server_id)
    return [_deployment(found) for found in connection.execute(query)]


def deployment(connection: sa.Connection, deployment_id: str) -> DeploymentRow | None:
    """Return a deployment."""
    found = connection.execute(sa.select(*_SHOWN).where(_d.id == deployment_id)).first()
    return None if found is None else _deployment(found)


def change_deployment(
    connection: sa.Connection, deployment_id: str, values: dict[str, Any], at: datetime
) -> bool:
    """Write columns of a deployment; tell whether it is there. ``at`` is in UTC."""
    mine = sa.update(software_deployment).where(_d.id == deployment_id)
    changed = mine.values(**values, updated_at=at.replace(tzinfo=None))
    return connection.execute(changed).rowcount == 1


def delete_deployment(connection: sa.Connection, deployment_id: str) -> None:
    """Delete a deployment, if it is there."""
    connection.execute(sa.delete(software_deployment).where(_d.id == deployment_id))


def count_deployments(connection: sa.Connection, project_id: str) -> int:
    """Return how many a project has."""
    return _count(connection, _d.project_id == project_id)


def configs_on(
    connection: sa.Connection, project_id: str | None, server_id: str
) -> list[ConfigRow]:
    """Return, by name, what is deployed on a server as a project sees it; None: as all do."""
    used = sa.select(_d.config_id).where(_d.server_id == server_id)
    if project_id is not None:
        used = used.where(_seen_from(project_id))
    query = sa.select(*_LISTED, _c.config).where(_c.id.in_(used))
    return [_config(found) for found in connection.execute(query.order_by(_c.name, _c.id))]


def _seen_from(project_id: str) -> sa.ColumnElement[bool]:
    return sa.or_(_d.project_id == project_id, _d.stack_user_project_id == project_id)


_SHOWN = tuple(_d[name] for name in DeploymentRow.__slots__)


def _deployment(found: Any) -> DeploymentRow:
    values = list(found)
    for index in (-2, -1):
        values[index] = values[index] and aware(values[index])
    return DeploymentRow(*values)


def _count(connection: sa.Connection, mine: sa.ColumnElement[bool]) -> int:
    return int(connection.scalar(sa.select(sa.func.count()).where(mine)) or 0)
