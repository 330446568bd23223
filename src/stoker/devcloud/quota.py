"""Quotas: how many of each thing a project may have.

Rule: a service declares its defaults once; a limit of -1 means no limit; the check is pure
arithmetic over numbers that the service counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import State

_DEFAULTS: dict[str, dict[str, int]] = {}


def defaults(service: str, limits: Mapping[str, int]) -> None:
    """Declare a service's resources and their limits for a project that has none of its own."""
    _DEFAULTS.setdefault(service, {}).update(limits)


def limits(state: State, service: str, project: str) -> dict[str, int]:
    """Give a project's limits."""
    return {**_DEFAULTS.get(service, {}), **(state.setting(_name(service, project)) or {})}


def put(state: State, service: str, project: str, changes: Mapping[str, int]) -> dict[str, int]:
    """Set some of a project's limits and give them all."""
    own = {**(state.setting(_name(service, project)) or {}), **changes}
    state.put_setting(_name(service, project), own)
    return limits(state, service, project)


def reset(state: State, service: str, project: str) -> None:
    """Give a project the defaults again."""
    state.put_setting(_name(service, project), {})


def exceeded(
    state: State, service: str, project: str, wanted: Mapping[str, tuple[int, int]]
) -> list[str]:
    """Name the resources that would go over: ``wanted`` gives (used now, more) of each."""
    allowed = limits(state, service, project)
    return [
        name for name, (used, more) in wanted.items() if 0 <= allowed.get(name, -1) < used + more
    ]


def over_network_quota(names: list[str]) -> Refusal:
    """Give Neutron's refusal: a 409 that names the resources."""
    return Refusal(409, f"Quota exceeded for resources: {names}.", type="OverQuota")


def over_compute_quota(name: str, wanted: int, used: int, limit: int) -> Refusal:
    """Give Nova's refusal: a 403 that says how many there are."""
    text = f"Quota exceeded for {name}: Requested {wanted}, but already used {used} of {limit}"
    return Refusal(403, f"{text} {name}")


def _name(service: str, project: str) -> str:
    return f"quota/{service}/{project}"
