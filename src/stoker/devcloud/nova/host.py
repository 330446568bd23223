"""The hosts of this cloud, and on which of them a server goes.

The rule: hosts have room for everything that is not absurd; only server groups and a host that
was named restrict the choice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc, State

ZONE = "nova"
HOSTS = tuple(f"devcloud-{number}" for number in range(1, 9))
MEMORY_MB = 8 * 1024 * 1024
CORES = 4096
DISK_GB = 1024 * 1024
_SERVER = "compute.server"


def choose(state: State, server: Doc, group: Doc | None) -> str | None:
    """Give the host for ``server``, or None where no host will do."""
    flavor = server["flavor"]
    if flavor["ram"] > MEMORY_MB or flavor["vcpus"] > CORES or flavor["disk"] > DISK_GB:
        return None
    if server["forced_host"]:
        return server["forced_host"] if server["forced_host"] in HOSTS else None
    first = int(hashlib.sha256(server["id"].encode()).hexdigest(), 16) % len(HOSTS)
    turn = HOSTS[first:] + HOSTS[:first]
    return turn[0] if group is None else _in_group(state, server, group, turn)


def _in_group(state: State, server: Doc, group: Doc, turn: tuple[str, ...]) -> str | None:
    members = (state.get(_SERVER, id) for id in group["members"] if id != server["id"])
    load = Counter(member["host"] for member in members if member and member["host"])
    policy, most = group["policy"], group["rules"].get("max_server_per_host", 1)
    if policy.endswith("anti-affinity"):
        host = min(turn, key=lambda each: load[each])
        return host if policy.startswith("soft") or load[host] < most else None
    return max(turn, key=lambda each: load[each])


def host_id(project_id: str, host: str) -> str:
    """Give the opaque name under which a project sees a host."""
    return hashlib.sha224(f"{project_id}{host}".encode()).hexdigest() if host else ""
