"""Quotas of this service: defaults, ten times the real ones, what is used, and the refusal.

The rule: a limit is checked in the transaction that creates, against a count of what exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud import quota

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.state import State

SERVICE = "network"
DEFAULTS = {
    "network": 1000,
    "subnet": 1000,
    "subnetpool": -1,
    "port": 5000,
    "router": 100,
    "router_route": 30,
    "floatingip": 500,
    "rbac_policy": 100,
    "security_group": 1000,
    "security_group_rule": 10000,
    "trunk": -1,
}
_UNCOUNTED = {"router_route"}

quota.defaults(SERVICE, DEFAULTS)


def limit(state: State, project_id: str, resource: str) -> int:
    """Give a project's limit of ``resource``; -1 is none."""
    return quota.limits(state, SERVICE, project_id)[resource]


def used(state: State, project_id: str, resource: str) -> int:
    """Give how many of ``resource`` a project has."""
    if resource in _UNCOUNTED:
        return 0
    return state.count(f"network.{resource}", project=project_id)


def check(state: State, project_id: str, more: Mapping[str, int]) -> None:
    """Refuse what would go beyond a limit."""
    wanted = {name: (used(state, project_id, name), count) for name, count in more.items()}
    over = quota.exceeded(state, SERVICE, project_id, wanted)
    if over:
        raise quota.over_network_quota(over)
