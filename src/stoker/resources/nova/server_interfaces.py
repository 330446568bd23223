"""Bringing a server's interfaces to those that are wanted, one call a step.

Rule: off before on, for an address may move from one to the other; ports that were made for
an interface go when it does. What is kept: ``ports``, the ports made, by number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from stoker.errors import CloudNotFound
from stoker.resources.nova import server_floating
from stoker.resources.nova.server_network import (
    Interface,
    Match,
    extra_body,
    match,
    needs_port,
    network_id,
    port_body,
    port_name,
)
from stoker.resources.nova.server_props import Nic, ServerProps
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Step


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports made for a server: by number, and which interface each was made for now."""

    numbered: Mapping[str, str]
    made_for: Mapping[int, str]  # the wanted interface's index -> the port's number

    @classmethod
    def of(cls, at: At[ServerProps]) -> Ports:
        numbered = at.data.get("ports", at.stored.get("ports", {}))
        made_for = {int(i): number for i, number in at.data.get("made_for", {}).items()}
        return cls(numbered, made_for)

    def data(self, at: At[ServerProps]) -> dict[str, Any]:
        """Return the step's data with these ports in it."""
        made_for = {str(i): number for i, number in self.made_for.items()}
        return {**at.data, "ports": dict(self.numbered), "made_for": made_for}

    def by_index(self) -> dict[int, str]:
        """Return the ids of the ports made now, by the interface's index."""
        return {i: self.numbered[number] for i, number in self.made_for.items()}


def due(at: At[ServerProps], cloud: Cloud) -> Step | None:
    """Make the next call that the interfaces need; None when they are as wanted."""
    if "networks" not in at.changed:
        return None
    ports = Ports.of(at)
    own = frozenset(ports.numbered.values())
    rows = cloud.compute.get(f"/servers/{at.owned}/os-interface")["interfaceAttachments"]
    there = [Interface.of(row) for row in rows]
    wanted = [nic for nic in at.props.networks or () if nic.allocate_network != "none"]
    now = match(wanted, there, ports.by_index(), own, cloud)
    found = {i: interface.port_id for i, interface in now.found.items()}
    if _let_go(at, cloud, wanted, found, {each.port_id for each in there} | own):
        return Next(data=at.data)
    return (
        _detach(at, cloud, there, now, own)
        or _drop_port(at, cloud, there, ports)
        or _attach(at, cloud, wanted, now, ports)
        or _tune(at, cloud, wanted, now, own)
        or (Next(data=at.data) if server_floating.lead(wanted, found, cloud) else None)
    )


def _detach(
    at: At[ServerProps],
    cloud: Cloud,
    there: Sequence[Interface],
    now: Match,
    own: frozenset[str],
) -> Step | None:
    """Take off one that the old template asked for and the new one does not."""
    before = at.old.networks if at.old is not None else None
    kept = {each.port_id for each in now.found.values()}
    if at.props.networks is None or (not before and not now.missing):
        return None  # Nova chose: what it chose stays
    asked = match(before or (), there, {}, own, cloud).found.values() if before else there
    for each in asked:
        if each.port_id in kept:
            continue
        gone = set(at.data.get("off", ()))
        if each.port_id not in gone:
            with suppress(CloudNotFound):
                cloud.compute.remove(f"/servers/{at.owned}/os-interface/{each.port_id}")
        return poll({**at.data, "off": sorted(gone | {each.port_id})})
    return None


def _drop_port(
    at: At[ServerProps], cloud: Cloud, there: Sequence[Interface], ports: Ports
) -> Step | None:
    """Delete a port of ours that serves no interface any more."""
    plugged = {each.port_id for each in there} | set(ports.by_index().values())
    for number, port_id in ports.numbered.items():
        if port_id in plugged:
            continue
        with suppress(CloudNotFound):
            cloud.network.delete("port", port_id)
        left = {n: p for n, p in ports.numbered.items() if n != number}
        return Next(data=Ports(left, ports.made_for).data(at))
    return None


def _attach(
    at: At[ServerProps], cloud: Cloud, wanted: Sequence[Nic], now: Match, ports: Ports
) -> Step | None:
    """Put one on that is wanted; where it needs a port, make that first."""
    for i in now.missing:
        nic = wanted[i]
        made = ports.by_index().get(i)
        if made is None and needs_port(nic):
            return _make_port(at, cloud, i, nic, ports)
        body = {"interfaceAttachment": _attachment(nic, made, cloud)}
        cloud.compute.post(f"/servers/{at.owned}/os-interface", body)
        return Next(data=at.data)
    return None


def _make_port(at: At[ServerProps], cloud: Cloud, i: int, nic: Nic, ports: Ports) -> Next:
    number = next(n for n in map(str, range(10_000)) if n not in ports.numbered)
    name = port_name(at.name, number)
    rows = cloud.network.list("port", name=name, fields="id")  # its answer may have been lost
    if rows:
        id = rows[0]["id"]
    else:
        id = cloud.network.create("port", {**port_body(nic, at.props, cloud), "name": name})["id"]
    more = Ports({**ports.numbered, number: str(id)}, {**ports.made_for, i: number})
    return Next(data=more.data(at))


def _attachment(nic: Nic, made: str | None, cloud: Cloud) -> dict[str, Any]:
    tag = {"tag": nic.tag} if nic.tag is not None else {}
    port = made or (nic.port and cloud.network.find("port", nic.port))
    if port:
        return {"port_id": port, **tag}
    if nic.allocate_network is not None:
        return tag
    fixed = {"fixed_ips": [{"ip_address": nic.fixed_ip}]} if nic.fixed_ip is not None else {}
    return {"net_id": network_id(nic, cloud), **fixed, **tag}


def _let_go(
    at: At[ServerProps],
    cloud: Cloud,
    wanted: Sequence[Nic],
    found: Mapping[int, str],
    own: Collection[str],
) -> bool:
    """Take a floating IP off where it is not to lead any more; tell whether one was due."""
    before = at.old.networks if at.old is not None else None
    stay = server_floating.wanted(wanted, found)
    return server_floating.let_go((*(before or ()), *wanted), stay, own, cloud)


def _tune(
    at: At[ServerProps], cloud: Cloud, wanted: Sequence[Nic], now: Match, own: frozenset[str]
) -> Step | None:
    """Change what a template says of a port of ours that stays."""
    tuned = list(at.data.get("tuned", ()))
    old = list(at.old.networks or ()) if at.old is not None else []
    for i, interface in sorted(now.found.items()):
        extra = wanted[i].port_extra_properties
        if extra is None or interface.port_id not in own or interface.port_id in tuned:
            continue
        if any(nic.port_extra_properties == extra for nic in old):
            continue
        cloud.network.update("port", interface.port_id, extra_body(extra, cloud))
        return Next(data={**at.data, "tuned": [*tuned, interface.port_id]})
    return None
