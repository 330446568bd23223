"""What must be true when an operation has ended: the cloud holds what the records say.

Each function returns what is wrong, as texts; none is good. :func:`account` returns what two
runs of the same operations must agree in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from tests.crash.site import Thing, alike, hangs_on

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.crash.world import World

Things = dict[tuple[str, str], Thing]

KINDS = {
    "OS::Neutron::Net": "network.network",
    "OS::Neutron::Subnet": "network.subnet",
    "OS::Neutron::Port": "network.port",
    "OS::Neutron::SecurityGroup": "network.security_group",
    "OS::Neutron::Router": "network.router",
    "OS::Neutron::FloatingIP": "network.floatingip",
    "OS::Neutron::SecurityGroupRule": "network.security_group_rule",
    "OS::Nova::Server": "compute.server",
    "OS::Nova::ServerGroup": "compute.server_group",
    "OS::Cinder::Volume": "volume.volume",
    "OS::Nova::KeyPair": "compute.keypair",
    "OS::Heat::Stack#elsewhere": "orchestration.stack",
    "OS::Heat::SoftwareDeployment": "orchestration.deployment",
    "OS::Cinder::Volume#copy": "volume.backup",
    "OS::Nova::Server#copy": "image.image",
}
"""Where the objects of each type are found in the cloud."""

TRUST = "identity.trust"
COPIES = ("volume.backup",)
"""What outlives its volume; two runs must leave as many."""
_CHANCE = ("OS::Heat::RandomString",)
_NOT_BEGUN = (t.sync_point, t.edge, t.inbox)


def leaked(world: World, before: Things) -> list[str]:
    """Return objects that no row knows."""
    recorded = _recorded(world)
    ids = {id for _, id in recorded} | _trusts(world)
    strange = [
        thing
        for key, thing in world.site.things().items()
        if key not in before and key not in recorded and thing.id not in ids
        if thing.kind not in COPIES
    ]
    return [
        f"leaked: {x.kind} {x.id} {x.document.get('name')}" for x in strange if not hangs_on(x, ids)
    ]


def lost(world: World) -> list[str]:
    """Return recorded objects that do not exist."""
    there = world.site.things().keys()
    return [f"lost: {kind} {id}" for kind, id in sorted(_recorded(world) - there)]


def touched(world: World, before: Things) -> list[str]:
    """Return foreign objects that are not as they were."""
    now = world.site.things()
    changed = [key for key, thing in before.items() if now.get(key) != thing]
    return [f"touched: {kind} {id}" for kind, id in changed]


def restless(world: World) -> list[str]:
    """Return rows that are not at rest though nothing runs."""
    r = t.resource.c
    wrong = [f"{table.name} has rows" for table in _NOT_BEGUN if world.rows(table)]
    wrong += [f"stack {row.name} is {row.status}" for row in _running(world, t.stack)]
    wrong += [f"resource {row.name} is {row.status}" for row in _running(world, t.resource)]
    busy = sa.or_(r.engine_id.is_not(None), r.due.is_not(None))
    with world.database.read() as connection:
        names = list(connection.scalars(sa.select(r.name).where(busy)))
    return wrong + [f"resource {name} is held or due" for name in names]


def left_over(world: World) -> list[str]:
    """Return what is still there of a deleted stack."""
    tables = (t.resource, t.resource_data, t.user_creds)
    wrong = [f"{len(rows)} rows in {x.name}" for x in tables if (rows := world.rows(x))]
    alive = [row.name for row in world.rows(t.stack) if row.deleted_at is None]
    return wrong + [f"stack {name} is not deleted" for name in alive]


def account(world: World, before: Things) -> dict[str, Any]:
    """Return what the stacks, their resources and the cloud look like, chance masked."""
    stacks = {row.id: row for row in world.rows(t.stack)}
    made = [x for key, x in world.site.things().items() if key not in before]
    return {
        "stacks": sorted(  # one that was handed over has left a deleted one like itself
            {
                (row.parent_resource_name or "", row.action, row.status, alike(row.status_reason))
                for row in stacks.values()
                if row.deleted_at is None or row.owner_id is None
            }
        ),
        "resources": sorted(
            (
                stacks[row.stack_id].parent_resource_name or "",
                row.name,
                row.type,
                row.action,
                row.status,
                row.is_current,
                _attributes(world, row),
            )
            for row in world.rows(t.resource)
        ),
        "cloud": sorted((x.kind, alike(x.document)) for x in made if x.kind != TRUST),
    }


def _attributes(world: World, row: Any) -> str:
    if row.type in _CHANCE or row.attributes is None:
        return ""
    return alike(world.database.sealer.open(row.attributes))


def _recorded(world: World) -> set[tuple[str, str]]:
    return {
        (KINDS[row.implementation], _id_there(world, row))
        for row in world.rows(t.resource)
        if row.physical_id is not None and row.implementation in KINDS
    }


def _id_there(world: World, row: Any) -> str:
    if row.implementation == "OS::Nova::KeyPair":  # the cloud's own key; users see the name
        return f"{world.site.caller.user_id}/{row.physical_id}"
    return str(row.physical_id)


def _trusts(world: World) -> set[str]:
    held = [row.trust_id for row in world.rows(t.user_creds) if row.trust_id is not None]
    return {world.database.sealer.open(sealed) for sealed in held}


def _running(world: World, table: sa.Table) -> list[Any]:
    return [row for row in world.rows(table) if row.status == "IN_PROGRESS"]


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return where two accounts differ."""
    found = []
    for part in one:
        mine, theirs = one[part], other[part]
        found += [f"{part}: only undisturbed {x}" for x in mine if x not in theirs]
        found += [f"{part}: only disturbed {x}" for x in theirs if x not in mine]
        if not found and mine != theirs:
            found.append(f"{part}: {mine} became {theirs}")
    return found
