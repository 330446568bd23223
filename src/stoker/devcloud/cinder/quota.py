"""Cinder's quotas, which start generous, what is used of them, and the refusal.

The rule: a limit is checked in the transaction that creates; each limit of volumes, snapshots and
gigabytes is there once more for each volume type, under the type's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud import quota as quotas
from stoker.devcloud.cinder import problem
from stoker.devcloud.state import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.state import Doc, State

SERVICE = "volume"
VOLUME, SNAPSHOT, BACKUP = "volume.volume", "volume.snapshot", "volume.backup"
TYPE = "volume.type"
DEFAULTS = {
    "volumes": 1000,
    "per_volume_gigabytes": -1,
    "snapshots": 1000,
    "gigabytes": 100_000,
    "backups": 1000,
    "backup_gigabytes": 100_000,
    "groups": 100,
}
BY_TYPE = ("volumes", "gigabytes", "snapshots")
_COUNTS = {VOLUME: "volumes", SNAPSHOT: "snapshots", BACKUP: "backups"}
_SIZES = {VOLUME: "gigabytes", SNAPSHOT: "gigabytes", BACKUP: "backup_gigabytes"}

quotas.defaults(SERVICE, DEFAULTS)
schema(
    """CREATE TABLE IF NOT EXISTS volume_usage (kind TEXT NOT NULL, id TEXT NOT NULL,
       project TEXT NOT NULL, type TEXT NOT NULL, gigabytes INTEGER NOT NULL,
       PRIMARY KEY (kind, id)) WITHOUT ROWID"""
)
schema("CREATE INDEX IF NOT EXISTS volume_usage_by_project ON volume_usage (project)")


def note(state: State, kind: str, doc: Doc, type: str) -> None:
    """Note what a thing of a volume type uses."""
    sql = """INSERT OR REPLACE INTO volume_usage (kind, id, project, type, gigabytes)
             VALUES (?, ?, ?, ?, ?)"""
    state.execute(sql, (kind, doc["id"], doc["project_id"], type, doc["size"]))


def forget(state: State, kind: str, id: str) -> None:
    """Forget a thing that is gone."""
    state.execute("DELETE FROM volume_usage WHERE kind = ? AND id = ?", (kind, id))


def rename(state: State, old: str, new: str) -> None:
    """Have what is noted of a volume type under its new name."""
    state.execute("UPDATE volume_usage SET type = ? WHERE type = ?", (new, old))


def defaults(state: State) -> dict[str, int]:
    """Give the limits of a project that has none of its own, those by type included."""
    types = [each["name"] for each in state.list(TYPE)]
    return {**DEFAULTS, **{f"{name}_{type}": -1 for type in types for name in BY_TYPE}}


def limits(state: State, project_id: str) -> dict[str, int]:
    """Give a project's limits; -1 is none."""
    return {**defaults(state), **quotas.limits(state, SERVICE, project_id)}


def used(state: State, project_id: str) -> dict[str, int]:
    """Give what a project uses, by the names of the limits; what it does not use is left out."""
    sql = """SELECT kind, type, count(*), sum(gigabytes) FROM volume_usage
             WHERE project = ? GROUP BY kind, type"""
    found: dict[str, int] = {}
    for kind, type, count, gigabytes in state.rows(sql, (project_id,)):
        for name, more in ((_COUNTS[kind], count), (_SIZES[kind], gigabytes)):
            found[name] = found.get(name, 0) + more
            if kind != BACKUP:
                typed = f"{name}_{type}"
                found[typed] = found.get(typed, 0) + more
    return found


def check(state: State, project_id: str, kind: str, type: str, gigabytes: int) -> None:
    """Refuse one more thing of a size where it would go beyond a limit."""
    check_size(state, project_id, kind, type, gigabytes)
    name = _COUNTS[kind]
    _check(state, project_id, _named(kind, name, type), 1)


def check_size(state: State, project_id: str, kind: str, type: str, gigabytes: int) -> None:
    """Refuse more gigabytes than a project may have."""
    _check(state, project_id, _named(kind, _SIZES[kind], type), gigabytes)


def check_one_volume(state: State, project_id: str, gigabytes: int) -> None:
    """Refuse a volume that is larger than one may be."""
    limit = limits(state, project_id)["per_volume_gigabytes"]
    if 0 <= limit < gigabytes:
        raise problem.over_limit(
            "VolumeSizeExceedsLimit",
            f"Requested volume size {gigabytes} is larger than maximum allowed limit {limit}.",
        )


def check_retype(state: State, project_id: str, type: str, gigabytes: int) -> None:
    """Refuse one more volume of a type where it would go beyond what that type may have."""
    _check(state, project_id, [f"volumes_{type}"], 1)
    _check(state, project_id, [f"gigabytes_{type}"], gigabytes)


def _named(kind: str, name: str, type: str) -> list[str]:
    return [name] if kind == BACKUP else [f"{name}_{type}", name]


def _check(state: State, project_id: str, names: list[str], more: int) -> None:
    allowed = quotas.limits(state, SERVICE, project_id)
    now = used(state, project_id)
    wanted = {name: (now.get(name, 0), more) for name in names}
    for name in quotas.exceeded(state, SERVICE, project_id, wanted):
        raise _refusal(name, allowed[name], wanted[name])


def _refusal(name: str, limit: int, wanted: tuple[int, int]) -> Exception:
    used, more = wanted
    noun = name.partition("_")[0]
    if noun in _COUNTS.values():
        return problem.over_limit(
            f"{noun[:-1].capitalize()}LimitExceeded",
            f"Maximum number of {noun} allowed ({limit}) exceeded for quota '{name}'.",
        )
    told = f"Requested {more}G, quota is {limit}G and {used}G has been consumed."
    if noun == "backup":
        return problem.over_limit(
            "VolumeBackupSizeExceedsAvailableQuota",
            f"Requested backup exceeds allowed Backup gigabytes quota. {told}",
        )
    return problem.over_limit(
        "VolumeSizeExceedsAvailableQuota",
        f"Requested volume or snapshot exceeds allowed {name} quota. {told}",
    )


def merged(limits: Mapping[str, int], now: Mapping[str, int]) -> Doc:
    """Give each limit with what is used of it."""
    return {
        name: {"limit": limit, "in_use": now.get(name, 0), "reserved": 0}
        for name, limit in limits.items()
    }
