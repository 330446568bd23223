"""What can be asked about software configs and deployments: what a guest is to do, as data.

A config says what, a deployment says on which server and what came of it. Both are kept as they
are given; who carries them out reads them from here. Times are aware datetimes in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from stoker.usecases.caller import Caller
from stoker.usecases.stacks import Json


@dataclass(frozen=True, slots=True)
class NewConfig:
    """``config`` is what the tool named by ``group`` understands, mostly a text.

    ``inputs`` and ``outputs`` are lists of what the config takes and gives, each with its name.
    """

    name: str | None = None
    group: str | None = None
    config: Any = None
    inputs: tuple[Json, ...] = ()
    outputs: tuple[Json, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfigView:
    """A config; in lists ``content`` is None, which holds the most."""

    id: str
    project_id: str
    name: str | None
    group: str | None
    created_at: datetime
    content: NewConfig | None = None


@dataclass(frozen=True, slots=True)
class ConfigQuery:
    """Which part of the list is wanted, oldest first; ``marker`` is the id of the one before."""

    limit: int | None = None
    marker: str | None = None
    all_projects: bool = False


@dataclass(frozen=True, slots=True)
class NewDeployment:
    """``server_id`` is whatever the server is known by; it need not be one of Nova's."""

    config_id: str
    server_id: str
    input_values: Mapping[str, Any] = field(default_factory=dict)
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    stack_user_project_id: str | None = None


@dataclass(frozen=True, slots=True)
class DeploymentChange:
    """What is None stays as it is."""

    config_id: str | None = None
    input_values: Mapping[str, Any] | None = None
    output_values: Mapping[str, Any] | None = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None


@dataclass(frozen=True, slots=True)
class DeploymentView:
    """A deployment, and what its server has said of it so far."""

    id: str
    config_id: str
    server_id: str
    input_values: Mapping[str, Any]
    output_values: Mapping[str, Any] | None
    action: str | None
    status: str | None
    status_reason: str | None
    created_at: datetime
    updated_at: datetime | None


class Software(Protocol):
    """Configs and deployments of the caller's project; an administrator reaches all by id.

    A deployment is seen from the project of its stack's users as well. Whatever else there is
    does not exist for the caller: NotFound.
    """

    def create_config(self, caller: Caller, what: NewConfig) -> ConfigView:
        """Keep a config; raises LimitExceeded."""
        ...

    def configs(self, caller: Caller, query: ConfigQuery) -> list[ConfigView]: ...
    def config(self, caller: Caller, config_id: str) -> ConfigView: ...
    def delete_config(self, caller: Caller, config_id: str) -> None:
        """Forget a config; raises Conflict where a deployment uses it."""
        ...

    def create_deployment(self, caller: Caller, what: NewDeployment) -> DeploymentView:
        """Keep a deployment of a config that is there; raises LimitExceeded."""
        ...

    def deployments(self, caller: Caller, server_id: str | None) -> list[DeploymentView]:
        """Return the deployments, oldest first: all, or those on a server."""
        ...

    def deployment(self, caller: Caller, deployment_id: str) -> DeploymentView: ...
    def update_deployment(
        self, caller: Caller, deployment_id: str, what: DeploymentChange
    ) -> DeploymentView: ...
    def delete_deployment(self, caller: Caller, deployment_id: str) -> None: ...
    def server_configs(self, caller: Caller, server_id: str) -> list[ConfigView]:
        """Return the configs that are deployed on a server, by their names."""
        ...
