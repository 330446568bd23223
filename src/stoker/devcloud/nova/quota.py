"""Quotas of this service, which start generous, and what is used of them.

The rule: a limit is checked in the transaction that creates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud import quota as quotas
from stoker.devcloud.nova import problem
from stoker.devcloud.nova.ask import Ask, compute_route
from stoker.devcloud.state import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.state import Doc, State

SERVICE = "compute"
SERVER, GROUP, KEYPAIR = "compute.server", "compute.server_group", "compute.keypair"
DEFAULTS = {
    "instances": 1000,
    "cores": 4000,
    "ram": 512 * 1024 * 1024,
    "key_pairs": 100,
    "metadata_items": 128,
    "server_groups": 100,
    "server_group_members": 100,
    "injected_files": 5,
    "injected_file_content_bytes": 10240,
    "injected_file_path_bytes": 255,
}
_OF_FILES = {"injected_files", "injected_file_content_bytes", "injected_file_path_bytes"}
_FILES_GONE = 57

quotas.defaults(SERVICE, DEFAULTS)
schema(
    """CREATE TABLE IF NOT EXISTS compute_usage (server TEXT PRIMARY KEY, project TEXT NOT NULL,
       cores INTEGER NOT NULL, ram INTEGER NOT NULL)"""
)
schema("CREATE INDEX IF NOT EXISTS compute_usage_by_project ON compute_usage (project)")


def limits(state: State, project_id: str) -> dict[str, int]:
    """Give the limits of a project; -1 is none."""
    return quotas.limits(state, SERVICE, project_id)


def note(state: State, server: Doc) -> None:
    """Note what a server uses."""
    sql = "INSERT OR REPLACE INTO compute_usage (server, project, cores, ram) VALUES (?, ?, ?, ?)"
    size = server["flavor"]
    state.execute(sql, (server["id"], server["project_id"], size["vcpus"], size["ram"]))


def forget(state: State, server_id: str) -> None:
    """Forget a server that is gone."""
    state.execute("DELETE FROM compute_usage WHERE server = ?", (server_id,))


def used(state: State, project_id: str) -> dict[str, int]:
    """Give what a project's servers use."""
    sql = "SELECT count(*), sum(cores), sum(ram) FROM compute_usage WHERE project = ?"
    ((instances, cores, ram),) = state.rows(sql, (project_id,))
    groups = state.count(GROUP, project=project_id)
    return {
        "instances": instances,
        "cores": cores or 0,
        "ram": ram or 0,
        "server_groups": groups,
    }


def check_servers(state: State, project_id: str, flavor: Mapping[str, int], count: int) -> None:
    """Refuse servers that would go beyond instances, cores or memory."""
    wanted = {"instances": count, "cores": flavor["vcpus"] * count, "ram": flavor["ram"] * count}
    allowed, now = limits(state, project_id), used(state, project_id)
    over = [name for name, more in wanted.items() if 0 <= allowed[name] < now[name] + more]
    if over:
        asked = ", ".join(str(wanted[name]) for name in over)
        taken = ", ".join(str(now[name]) for name in over)
        limit = ", ".join(str(allowed[name]) for name in over)
        names = ", ".join(over)
        raise problem.forbidden(
            f"Quota exceeded for {names}: Requested {asked}, but already used {taken} of {limit}"
            f" {names}"
        )


def check_metadata(state: State, project_id: str, metadata: Mapping[str, object]) -> None:
    """Refuse more metadata than a server may have."""
    allowed = limits(state, project_id)["metadata_items"]
    if 0 <= allowed < len(metadata):
        raise problem.forbidden(f"Maximum number of metadata items exceeds {allowed}")


def _shown(ask: Ask, values: Mapping[str, object]) -> Doc:
    hidden = _OF_FILES if ask.since(_FILES_GONE) else set()
    old = {} if ask.since(50) else {"floating_ips": -1, "fixed_ips": -1}
    return {**{name: value for name, value in values.items() if name not in hidden}, **old}


def _check_may_read(ask: Ask) -> str:
    project = ask.params["project_id"]
    if ask.state.get("identity.project", project) is None:
        raise problem.bad_request(f"Project ID {project} is not a valid project.")
    if project != ask.caller.project_id:
        ask.only_admin("os-quota-sets:show")
    return project


@compute_route("GET", "os-quota-sets/{project_id}")
def show_quota_set(ask: Ask) -> Doc:
    """Give a project's limits."""
    project = _check_may_read(ask)
    return {"quota_set": {"id": project, **_shown(ask, limits(ask.state, project))}}


@compute_route("GET", "os-quota-sets/{project_id}/defaults")
def show_default_quota_set(ask: Ask) -> Doc:
    """Give the limits of projects that have none of their own."""
    return {"quota_set": {"id": ask.params["project_id"], **_shown(ask, DEFAULTS)}}


@compute_route("GET", "os-quota-class-sets/{name}")
def show_quota_class(ask: Ask) -> Doc:
    """Give the default limits under the name of a class."""
    return {"quota_class_set": {"id": ask.params["name"], **_shown(ask, DEFAULTS)}}


@compute_route("GET", "os-quota-sets/{project_id}/detail")
def show_quota_set_details(ask: Ask) -> Doc:
    """Give a project's limits with what is used of them."""
    project = _check_may_read(ask)
    now = used(ask.state, project)
    details = {
        name: {"limit": limit, "in_use": now.get(name, 0), "reserved": 0}
        for name, limit in limits(ask.state, project).items()
    }
    return {"quota_set": {"id": project, **_shown(ask, details)}}


@compute_route("PUT", "os-quota-sets/{project_id}")
def update_quota_set(ask: Ask) -> Doc:
    """Set a project's limits."""
    ask.only_admin("os-quota-sets:update")
    project = _check_may_read(ask)
    wanted = {name: value for name, value in ask.body("quota_set").items() if name != "force"}
    for name, value in wanted.items():
        if name not in DEFAULTS:
            raise problem.bad_request(
                f"Additional properties are not allowed ('{name}' was unexpected)"
            )
        if not str(value).lstrip("-").isdigit() or int(value) < -1:
            raise problem.invalid(name, value, f"{value} is not a limit")
    changes = {name: int(value) for name, value in wanted.items()}
    return {"quota_set": _shown(ask, quotas.put(ask.state, SERVICE, project, changes))}


@compute_route("DELETE", "os-quota-sets/{project_id}", status=202)
def delete_quota_set(ask: Ask) -> Doc:
    """Give a project the default limits again."""
    ask.only_admin("os-quota-sets:delete")
    quotas.reset(ask.state, SERVICE, ask.params["project_id"])
    return {}


@compute_route("GET", "limits")
def show_limits(ask: Ask) -> Doc:
    """Give the absolute limits of the caller's project, and what is used."""
    project = ask.caller.project_id
    if ask.caller.is_admin:
        project = ask.request.first("tenant_id") or project
    allowed, now = limits(ask.state, project), used(ask.state, project)
    absolute = {
        "maxTotalInstances": allowed["instances"],
        "maxTotalCores": allowed["cores"],
        "maxTotalRAMSize": allowed["ram"],
        "maxTotalKeypairs": allowed["key_pairs"],
        "maxServerMeta": allowed["metadata_items"],
        "maxServerGroups": allowed["server_groups"],
        "maxServerGroupMembers": allowed["server_group_members"],
        "totalInstancesUsed": now["instances"],
        "totalCoresUsed": now["cores"],
        "totalRAMUsed": now["ram"],
        "totalServerGroupsUsed": now["server_groups"],
    }
    if not ask.since(_FILES_GONE):
        absolute |= {
            "maxPersonality": allowed["injected_files"],
            "maxPersonalitySize": allowed["injected_file_content_bytes"],
            "maxImageMeta": allowed["metadata_items"],
        }
    return {"limits": {"rate": [], "absolute": absolute}}
