"""The calls that show and set limits: quota sets, quota classes, absolute limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud import quota as quotas
from stoker.devcloud.cinder import problem, quota
from stoker.devcloud.cinder.ask import Ask, volume_route
from stoker.devcloud.cinder.quota import SERVICE

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_ONE = "os-quota-sets/{target_id}"
_NOT_LIMITS = ("tenant_id", "id", "skip_validation")


def _target(ask: Ask, rule: str) -> str:
    """Give the project that the path names; others' are an administrator's business."""
    target = ask.params["target_id"]
    if target != ask.caller.project_id:
        ask.only_admin(f"volume_extension:quotas:{rule}")
    return target


@volume_route("GET", _ONE)
def show_quota_set(ask: Ask) -> Doc:
    """Give a project's limits, with what is used of them if asked."""
    target = _target(ask, "show")
    limits: Doc = quota.limits(ask.state, target)
    if ask.request.first("usage").lower() in ("true", "1"):
        limits = quota.merged(limits, quota.used(ask.state, target))
    return {"quota_set": {"id": target, **limits}}


@volume_route("GET", f"{_ONE}/defaults")
def show_default_quota_set(ask: Ask) -> Doc:
    """Give the limits of projects that have none of their own."""
    return {"quota_set": {"id": _target(ask, "show"), **quota.defaults(ask.state)}}


@volume_route("PUT", _ONE)
def update_quota_set(ask: Ask) -> Doc:
    """Set some of a project's limits and give them all."""
    ask.only_admin("volume_extension:quotas:update")
    target, body = ask.params["target_id"], ask.body("quota_set")
    known = quota.limits(ask.state, target)
    wanted = {name: value for name, value in body.items() if name not in _NOT_LIMITS}
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise problem.bad_request(f"Bad key(s) in quota set: {', '.join(unknown)}")
    changes = {name: _limit(name, value) for name, value in wanted.items()}
    quotas.put(ask.state, SERVICE, target, changes)
    return {"quota_set": quota.limits(ask.state, target)}


def _limit(name: str, value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    is_digits = isinstance(value, str) and value.lstrip("-").isdigit()
    if not is_number and not is_digits:
        raise problem.invalid_field(name, value, f"{value!r} is not of type 'integer', 'string'")
    if int(value) < -1:
        raise problem.invalid_field(name, value, f"{value} is less than the minimum of -1")
    return int(value)


@volume_route("DELETE", _ONE)
def delete_quota_set(ask: Ask) -> None:
    """Give a project the default limits again."""
    ask.only_admin("volume_extension:quotas:delete")
    quotas.reset(ask.state, SERVICE, ask.params["target_id"])


@volume_route("GET", "os-quota-class-sets/{name}")
def show_quota_class(ask: Ask) -> Doc:
    """Give the default limits under the name of a class."""
    return {"quota_class_set": {"id": ask.params["name"], **quota.defaults(ask.state)}}


@volume_route("GET", "limits")
def show_limits(ask: Ask) -> Doc:
    """Give the absolute limits of a project, and what it uses."""
    project = ask.caller.project_id
    if ask.caller.is_admin:
        project = ask.request.first("project_id") or project
    allowed, now = quota.limits(ask.state, project), quota.used(ask.state, project)
    absolute = {
        "maxTotalVolumes": allowed["volumes"],
        "maxTotalVolumeGigabytes": allowed["gigabytes"],
        "maxTotalSnapshots": allowed["snapshots"],
        "maxTotalBackups": allowed["backups"],
        "maxTotalBackupGigabytes": allowed["backup_gigabytes"],
        "totalVolumesUsed": now.get("volumes", 0),
        "totalGigabytesUsed": now.get("gigabytes", 0),
        "totalSnapshotsUsed": now.get("snapshots", 0),
        "totalBackupsUsed": now.get("backups", 0),
        "totalBackupGigabytesUsed": now.get("backup_gigabytes", 0),
    }
    return {"limits": {"rate": [], "absolute": absolute}}
