"""OS::Neutron::FloatingIP: an address of an external network that may lead to a port.

Rule: it has no name; it is made under a description that only it has (the physical name, or,
where the user gave one, the mark, and is then described as he wants).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.neutron.implicit import stated
from stoker.resources.neutron.neutron_object import plain_body, spec_problems
from stoker.resources.neutron.routed import gateways_to, interfaces_for
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Others, Resource, Step, View, Wanted
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_unknown

KIND: Final = "floatingip"
_DESCRIPTION: Final = "description"
_AT_CREATE: Final = {
    name: name for name in ("fixed_ip_address", "floating_ip_address", "dns_name", "dns_domain")
}


class FloatingIPProps(Props):
    floating_network_id: str | None = prop(
        "External network, by name or id.",
        default=None,
        becomes="floating_network",
        is_a="neutron.network",
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.2")),
    )
    floating_network: str = prop(
        "External network, by name or id.",
        is_a="neutron.network",
        support=Support(since="2014.2"),
    )
    floating_subnet: str | None = prop(
        "Subnet to take the address from, by name or id.",
        default=None,
        is_a="neutron.subnet",
        support=Support(since="9.0.0"),
    )
    value_specs: Mapping[str, Any] = prop("Further values for the request.", default={})
    port_id: str | None = prop(
        "Port that it leads to, by name or id.", default=None, updatable=True, is_a="neutron.port"
    )
    fixed_ip_address: str | None = prop(
        "Which of the port's addresses it leads to.",
        default=None,
        updatable=True,
        is_a="ip_addr",
    )
    floating_ip_address: str | None = prop(
        "The address wanted; for administrators.",
        default=None,
        is_a="ip_addr",
        support=Support(since="5.0.0"),
    )
    dns_name: str | None = prop(
        "Its name in DNS.",
        default=None,
        updatable=True,
        is_a="rel_dns_name",
        support=Support(since="7.0.0"),
    )
    dns_domain: str | None = prop(
        "Its domain in DNS.",
        default=None,
        updatable=True,
        is_a="dns_domain",
        support=Support(since="7.0.0"),
    )


class FloatingIP(Resource[FloatingIPProps]):
    type_name = "OS::Neutron::FloatingIP"
    since = "2014.1"
    doc = "An address of an external network."
    Props = FloatingIPProps
    service = "network"
    attributes = attrs(
        router_id=Attr("Router that it goes through."),
        tenant_id=Attr("Project that owns it."),
        floating_network_id=Attr("Its external network."),
        fixed_ip_address=Attr("The address that it leads to."),
        floating_ip_address=Attr("The address."),
        port_id=Attr("Port that it leads to."),
    )

    def validate(self, props: FloatingIPProps) -> Iterable[Problem]:
        yield from spec_problems(props)
        if props.fixed_ip_address is not None and props.port_id is None:
            text = "fixed_ip_address is one of a port's: give port_id too"
            yield Problem(text, ("fixed_ip_address",), None, Kind.PROPERTY)

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        network = stated(mine.properties, "floating_network", "floating_network_id")
        yield from gateways_to(network, others)
        yield from interfaces_for(stated(mine.properties, "port_id"), others)

    def exclusive(self, props: FloatingIPProps) -> frozenset[object]:
        """Return its address, and the port's that it leads to: only one may lead there."""
        mine: set[object] = set()
        if props.floating_ip_address is not None and not is_unknown(props.floating_ip_address):
            mine.add(("floating IP", props.floating_ip_address))
        if props.port_id is not None and not is_unknown(props.port_id):
            mine.add(led_to(props.port_id))
        return frozenset(mine)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else view.attributes.get(name)

    def find(self, at: At[FloatingIPProps], cloud: Cloud) -> Next | None:
        rows = cloud.network.list(KIND, description=_first(at), fields="id")
        return Next(id=rows[0]["id"]) if rows else None

    def create(self, at: At[FloatingIPProps], cloud: Cloud) -> Step:
        wanted = _given(at)
        if at.id is None:
            made = cloud.network.create(KIND, _body(at, cloud))
            return Done(made, id=made["id"]) if wanted is None else Next(id=made["id"])
        shown = cloud.network.show(KIND, at.id)
        if wanted is not None and shown[_DESCRIPTION] != wanted:
            shown = cloud.network.update(KIND, at.id, {_DESCRIPTION: wanted})
        return Done(shown)

    def update(self, at: At[FloatingIPProps], cloud: Cloud) -> Step:
        return Done(cloud.network.update(KIND, at.owned, _changes(at, cloud)))

    def adopt(self, at: At[FloatingIPProps], cloud: Cloud) -> Step:
        return Done(cloud.network.show(KIND, at.owned))

    def delete(self, at: At[FloatingIPProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.network.delete(KIND, at.id)
        return Done()


def _given(at: At[FloatingIPProps]) -> str | None:
    given = at.props.value_specs.get(_DESCRIPTION)
    return None if given is None else str(given)


def _first(at: At[FloatingIPProps]) -> str:
    return at.name if _given(at) is None else at.mark


def _body(at: At[FloatingIPProps], cloud: Cloud) -> dict[str, Any]:
    props, network = at.props, cloud.network
    body = plain_body(at, _AT_CREATE)
    body["floating_network_id"] = network.find("network", props.floating_network)
    if props.floating_subnet is not None:
        body["subnet_id"] = network.find("subnet", props.floating_subnet)
    if props.port_id is not None:
        body["port_id"] = network.find("port", props.port_id)
    return body | {_DESCRIPTION: _first(at)}


def _changes(at: At[FloatingIPProps], cloud: Cloud) -> dict[str, Any]:
    """Return the changes; port and inner address always go together."""
    changes: dict[str, Any] = {}
    if at.changed & {"port_id", "fixed_ip_address"}:
        changes |= leading_to(at.props.port_id, at.props.fixed_ip_address, cloud)
    for name in at.changed & {"dns_name", "dns_domain"}:
        changes[name] = getattr(at.props, name) or ""
    return changes


def led_to(port: str) -> object:
    """Return the exclusive value of what leads to a port."""
    return ("floating IP to", port)


def leading_to(port: str | None, address: str | None, cloud: Cloud) -> dict[str, Any]:
    """Return what makes a floating IP lead to a port (None: nowhere)."""
    port_id = None if port is None else cloud.network.find("port", port)
    return {"port_id": port_id, "fixed_ip_address": address}
