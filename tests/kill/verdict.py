"""What the cloud holds against what is recorded, and what is recorded against what was asked.

Rule: leaked is what exists and is in no record; lost is what is recorded, or was accepted, and
does not exist. Nothing else is excused but what hangs on a recorded object and goes with it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from tests.kill.rest import Doors, Json
    from tests.kill.story import Story, Version

Thing = tuple[str, str]
"""Kind and id of an object in the cloud; a key pair's id is its name."""

KINDS = {
    "OS::Neutron::Net": "network.network",
    "OS::Neutron::Subnet": "network.subnet",
    "OS::Neutron::Port": "network.port",
    "OS::Neutron::SecurityGroup": "network.security_group",
    "OS::Nova::KeyPair": "compute.keypair",
    "OS::Nova::Server": "compute.server",
}
TRUST = "identity.trust"
SERVICES = ("compute.", "network.", "image.")
WORKING_TABLES = ("resource", "resource_data", "sync_point", "edge", "inbox")
"""Tables that hold nothing of stacks that are gone."""


@dataclass
class Findings:
    """What is not as it must be, each in words."""

    leaked: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def all(self) -> list[str]:
        """Return every finding, with its sort."""
        sorts = (("leaked", self.leaked), ("lost", self.lost), ("wrong", self.wrong))
        return [f"{sort}: {text}" for sort, found in sorts for text in found]


@dataclass(frozen=True)
class Cloud:
    """What exists at one moment; ``owners`` tells on which object another hangs."""

    things: dict[Thing, str]
    owners: dict[Thing, Thing]
    trusts: frozenset[str]

    @classmethod
    def seen(cls, doors: Doors) -> Cloud:
        """Look at the cloud."""
        rows = doors.objects().values()
        servers = {("network.port", p["id"]): p["device_id"] for p in doors.ports()}
        groups = {
            ("network.security_group_rule", r["id"]): r["security_group_id"] for r in doors.rules()
        }
        owners = {thing: ("compute.server", id) for thing, id in servers.items() if id}
        owners |= {thing: ("network.security_group", id) for thing, id in groups.items()}
        return cls(
            things={_thing(r): r["name"] for r in rows if r["kind"].startswith(SERVICES)},
            owners=owners,
            trusts=frozenset(r["id"] for r in rows if r["kind"] == TRUST),
        )

    def with_what_hangs_on(self, things: Collection[Thing]) -> set[Thing]:
        """Return the things and those of their own."""
        return {*things, *(t for t, owner in self.owners.items() if owner in things)}


def _thing(row: Json) -> Thing:
    kind = row["kind"]
    return kind, row["name"] if kind == "compute.keypair" else row["id"]


@dataclass(frozen=True)
class Record:
    """A stack as the API shows it."""

    name: str
    status: str
    said: object
    resources: dict[str, Json]

    @classmethod
    def read(cls, doors: Doors, name: str) -> Record | None:
        """Read a stack with all below it; None where there is none."""
        stack = doors.show(name)
        if stack is None:
            return None
        outputs = {each["output_key"]: each.get("output_value") for each in stack["outputs"]}
        rows = doors.resources(stack["id"], name)
        return cls(name, stack["stack_status"], outputs.get("said"), _by_path(stack["id"], rows))

    def things(self) -> set[Thing]:
        """Return what the record says exists."""
        return {
            (KINDS[row["resource_type"]], row["physical_resource_id"])
            for row in self.resources.values()
            if row["resource_type"] in KINDS and row["physical_resource_id"]
        }


def _by_path(root_id: str, rows: Iterable[Json]) -> dict[str, Json]:
    rows = list(rows)
    parents = {row["physical_resource_id"]: row for row in rows if row["physical_resource_id"]}

    def path(row: Json) -> str:
        stack_id = _stack_of(row)
        above = "" if stack_id == root_id else f"{path(parents[stack_id])}/"
        return f"{above}{row['resource_name']}"

    found: dict[str, Json] = {}
    for row in rows:
        assert path(row) not in found, f"two resources are shown as {path(row)}"
        found[path(row)] = row
    return found


def _stack_of(row: Json) -> str:
    (href,) = (link["href"] for link in row["links"] if link["rel"] == "stack")
    return str(href).rsplit("/", 1)[1]


def judge_objects(cloud: Cloud, before: Cloud, records: Iterable[Record]) -> Findings:
    """Compare everything that exists with everything that is recorded."""
    recorded = {thing for record in records for thing in record.things()}
    excused = cloud.with_what_hangs_on(recorded) | before.things.keys()
    return Findings(
        leaked=[_said(t, cloud) for t in sorted(cloud.things.keys() - excused)],
        lost=[f"{kind} {id}" for kind, id in sorted(recorded - cloud.things.keys())],
    )


def _said(thing: Thing, cloud: Cloud) -> str:
    return f"{thing[0]} {thing[1]} called {cloud.things[thing]!r}"


def differences(record: Record, story: Story, version: Version, cloud: Cloud) -> list[str]:
    """Return in what a stack differs from an undisturbed run's end."""
    found = []
    if not record.status.endswith("_COMPLETE"):
        found.append(f"its status is {record.status}")
    for path, row in record.resources.items():
        if not row["resource_status"].endswith("_COMPLETE"):
            found.append(f"{path} is {row['resource_status']}: {row['resource_status_reason']}")
    if record.resources.keys() != version.resources:
        odd = sorted(record.resources.keys() ^ version.resources)
        found.append(f"resources too many or too few: {', '.join(odd)}")
    if record.said != version.said:
        found.append(f"it says {record.said!r} and not {version.said!r}")
    mine = cloud.with_what_hangs_on(record.things()) & cloud.things.keys()
    counted = Counter(kind for kind, _ in mine)
    if counted != version.objects:
        found.append(f"its objects are {dict(counted)} and not {dict(version.objects)}")
    names = {(kind, f"{record.name}-{end}") for kind, end in version.names}
    there = {(kind, cloud.things[kind, id]) for kind, id in mine}
    found += [f"no {kind} of its is called {name}" for kind, name in sorted(names - there)]
    return [f"stack {record.name} ({story.name}): {text}" for text in found]


def rows_left(database: Path) -> dict[str, int]:
    """Return how many rows are in the tables that hold nothing when no stack is there."""
    counts = {
        table: _select(database, f"SELECT count(*) FROM {table}")[0][0]  # noqa: S608
        for table in WORKING_TABLES
    }
    return {table: count for table, count in counts.items() if count}


def rows_held(database: Path) -> list[str]:
    """Return the resources that an engine holds, or on which a call is in doubt."""
    sql = "SELECT name FROM resource WHERE engine_id IS NOT NULL OR intent_at IS NOT NULL"
    return [str(name) for (name,) in _select(database, sql)]


def _select(database: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()
