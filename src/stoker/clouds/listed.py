"""Objects of services that are only looked into: for what a custom constraint asks.

Rule: a service's kinds are rows of :data:`KINDS`; many names are learnt with one list, and what
was learnt is believed as long as what the other clients find.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stoker.clouds.rest import NAME_SECONDS, Connection, Rest, by_id_or_name, existing, segment
from stoker.sdk.cloud import Guard

_VERSIONS: Final[Mapping[str, str]] = {
    "baremetal": "v1",
    "compute": "v2.1",
    "container-infrastructure-management": "v1",
    "database": "v1.0",
    "dns": "v2",
    "key-manager": "v1",
    "load-balancer": "v2.0",
    "network": "v2.0",
    "reservation": "v1",
    "shared-file-system": "v2",
    "workflow": "v2",
}
_HEADERS: Final[Mapping[str, Mapping[str, str]]] = {
    "baremetal": {"X-OpenStack-Ironic-API-Version": "1.23"},  # the first with port groups
    "compute": {"X-OpenStack-Nova-API-Version": "2.53"},  # hypervisors by a part of the name
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Where the objects of a kind are: ``rows`` is the key of a list, empty where there is none.

    ``id`` and ``name`` are fields of a row; ``within`` is the field in which the objects are, where
    the rows are of others. ``shows`` is false where an object is found in the list alone; ``asks``
    is the query that narrows a list to a name, empty where the service has none.
    """

    service: str
    path: str
    rows: str
    id: str = "id"
    name: str = "name"
    within: str = ""
    shows: bool = True
    asks: str = "name"


_LOADS: Final = "load-balancer"
_SHARES: Final = "shared-file-system"

KINDS: Final[Mapping[str, Kind]] = {
    "barbican.container": Kind("key-manager", "/containers", ""),
    "barbican.secret": Kind("key-manager", "/secrets", ""),
    "blazar.reservation": Kind(
        "reservation", "/leases", "leases", within="reservations", shows=False, asks=""
    ),
    "designate.zone": Kind("dns", "/zones", "zones"),
    "ironic.node": Kind("baremetal", "/nodes", "nodes", id="uuid", asks=""),
    "ironic.portgroup": Kind("baremetal", "/portgroups", "portgroups", id="uuid", asks=""),
    "magnum.cluster_template": Kind(
        "container-infrastructure-management", "/clustertemplates", "clustertemplates",
        id="uuid", asks="",
    ),
    "manila.share_network": Kind(_SHARES, "/share-networks", "share_networks"),
    "manila.share_snapshot": Kind(_SHARES, "/snapshots", "snapshots"),
    "manila.share_type": Kind(_SHARES, "/types", "share_types", asks=""),
    "mistral.workflow": Kind("workflow", "/workflows", "workflows"),
    "neutron.flow_classifier": Kind("network", "/sfc/flow_classifiers", "flow_classifiers"),
    "neutron.lbaas.listener": Kind("network", "/lbaas/listeners", "listeners"),
    "neutron.lbaas.loadbalancer": Kind("network", "/lbaas/loadbalancers", "loadbalancers"),
    "neutron.lbaas.pool": Kind("network", "/lbaas/pools", "pools"),
    "neutron.lbaas.provider": Kind(
        "network", "/service-providers", "service_providers", id="name", shows=False, asks=""
    ),
    "neutron.port_pair": Kind("network", "/sfc/port_pairs", "port_pairs"),
    "neutron.port_pair_group": Kind("network", "/sfc/port_pair_groups", "port_pair_groups"),
    "neutron.taas.tap_flow": Kind("network", "/taas/tap_flows", "tap_flows"),
    "neutron.taas.tap_service": Kind("network", "/taas/tap_services", "tap_services"),
    "nova.host": Kind(
        "compute", "/os-hypervisors", "hypervisors", id="hypervisor_hostname",
        name="hypervisor_hostname", shows=False, asks="hypervisor_hostname_pattern",
    ),
    "octavia.availabilityzone": Kind(
        _LOADS, "/lbaas/availabilityzones", "availability_zones", id="name"
    ),
    "octavia.availabilityzoneprofile": Kind(
        _LOADS, "/lbaas/availabilityzoneprofiles", "availability_zone_profiles"
    ),
    "octavia.flavor": Kind(_LOADS, "/lbaas/flavors", "flavors"),
    "octavia.flavorprofile": Kind(_LOADS, "/lbaas/flavorprofiles", "flavorprofiles"),
    "octavia.l7policy": Kind(_LOADS, "/lbaas/l7policies", "l7policies"),
    "octavia.listener": Kind(_LOADS, "/lbaas/listeners", "listeners"),
    "octavia.loadbalancer": Kind(_LOADS, "/lbaas/loadbalancers", "loadbalancers"),
    "octavia.pool": Kind(_LOADS, "/lbaas/pools", "pools"),
    "trove.flavor": Kind("database", "/flavors", "flavors", asks=""),
}  # fmt: skip
"""By the name of the constraint that asks for them."""


class Listed(Rest):
    """The service of one kind."""

    def __init__(self, kind: str, connection: Connection, guard: Guard, since: float) -> None:
        super().__init__(connection, guard, since)
        self._kind = KINDS[kind]
        self.service, self.version = self._kind.service, _VERSIONS[self._kind.service]

    def headers(self, path: str) -> dict[str, str]:
        """Return the headers of a call, with the version that it needs."""
        return {**super().headers(path), **_HEADERS.get(self.service, {})}

    def warm(self, kind: str, names: Iterable[str]) -> None:
        """Learn the ids of many with one list; of what a further page of it has, one by one."""
        if not self._kind.rows:
            return
        begun = time.monotonic()
        rows = [(str(row[self._kind.id]), row.get(self._kind.name)) for row in self._rows("")]
        for name in names:
            found = [id for id, its in rows if id == name] or [
                id for id, its in rows if its == name
            ]
            if len(found) == 1:
                key = (self.service, kind, name)
                self._connection.memory.keep(key, found[0], NAME_SECONDS, begun)

    def _found(self, kind: str, name_or_id: str) -> str:
        name = name_or_id if self._kind.rows else name_or_id.rstrip("/").rpartition("/")[2]
        label = kind.rpartition(".")[2]
        return by_id_or_name(label, name_or_id, self._by_id(name), self._by_name(name))

    def _by_id(self, id: str) -> Iterator[str]:
        if not self._kind.shows:
            yield from (each for each, _ in self._named(id) if each == id)
        elif existing(lambda: self.get(f"{self._kind.path}/{segment(id)}")) is not None:
            yield id

    def _by_name(self, name: str) -> Iterator[str]:
        if self._kind.rows:
            yield from (id for id, its in self._named(name) if its == name)

    def _named(self, name: str) -> Iterator[tuple[str, Any]]:
        for row in self._rows(name):
            yield str(row[self._kind.id]), row.get(self._kind.name)

    def _rows(self, name: str) -> Iterator[Mapping[str, Any]]:
        asked = {self._kind.asks: name} if name and self._kind.asks else {}
        for row in self.get(self._kind.path, **asked)[self._kind.rows]:
            yield from row.get(self._kind.within, ()) if self._kind.within else (row,)
