"""OS::Neutron::RouterInterface: a router's place on a subnet.

Rule: it is a relation; its id is written of the two that it joins, as Heat writes it, and
all that it takes to remove it stands in that id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.relation import absent, missing, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Props, Support, attrs, prop
from stoker.sdk.value import is_unknown

OWNERS: Final = (
    "network:router_interface",
    "network:router_interface_distributed",
    "network:ha_router_replicated_interface",
)
"""What Neutron calls the owner of a port that is a router's interface."""

_FROM_2015: Final = Support("DEPRECATED", "2015.1", previous=Support())


class RouterInterfaceProps(Props):
    router: str = prop("The router, by name or id.", is_a="neutron.router")
    router_id: str | None = prop(
        "The router, by name or id.",
        default=None,
        becomes="router",
        is_a="neutron.router",
        support=Support("HIDDEN", "6.0.0", previous=_FROM_2015),
    )
    subnet_id: str | None = prop(
        "The subnet, by name or id.",
        default=None,
        becomes="subnet",
        is_a="neutron.subnet",
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.2")),
    )
    subnet: str | None = prop(
        "The subnet, by name or id; it needs a gateway address.",
        default=None,
        is_a="neutron.subnet",
    )
    port_id: str | None = prop(
        "A port to become the interface, by name or id.",
        default=None,
        becomes="port",
        is_a="neutron.port",
        support=Support("HIDDEN", "6.0.0", previous=_FROM_2015),
    )
    port: str | None = prop(
        "A port to become the interface, by name or id.",
        default=None,
        is_a="neutron.port",
        support=Support(since="2015.1"),
    )


class RouterInterface(Resource[RouterInterfaceProps]):
    type_name = "OS::Neutron::RouterInterface"
    since = "2014.1"
    doc = "An interface of a router on a subnet."
    Props = RouterInterfaceProps
    service = "network"
    attributes = attrs()

    def validate(self, props: RouterInterfaceProps) -> Iterable[Problem]:
        if (props.subnet is None) == (props.port is None):
            text = "give the subnet, or a port on it: one of the two"
            yield Problem(text, ("subnet",), None, Kind.PROPERTY)

    def exclusive(self, props: RouterInterfaceProps) -> frozenset[object]:
        """Return what it is plugged into: a subnet's gateway address, or a port, is only one."""
        plugs = (("interface on", props.subnet), ("interface at", props.port))
        return frozenset(plug for plug in plugs if plug[1] is not None and not is_unknown(plug[1]))

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[RouterInterfaceProps], cloud: Cloud) -> Next | None:
        if not was_absent(at):
            return None
        router_id, plug = _ends(at.props, cloud)
        if _interface(router_id, plug, cloud) is None:
            return None
        return Next(id=_id(router_id, plug), data=at.data)

    def create(self, at: At[RouterInterfaceProps], cloud: Cloud) -> Step:
        router_id, plug = _ends(at.props, cloud) if at.id is None else _parsed(at.id)
        if at.id is None and was_absent(at):
            made = cloud.network.put(f"/routers/{router_id}/add_router_interface", plug)
            return Done(made, id=_id(router_id, plug))
        there = _interface(router_id, plug, cloud)
        if at.id is None and there is None:
            return absent()
        if at.id is None:
            (name,) = plug
            raise taken(f"the router {router_id} is plugged in there already", name[:-3])
        return Done(there or {})

    def adopt(self, at: At[RouterInterfaceProps], cloud: Cloud) -> Step:
        router_id, plug = _ends(at.props, cloud)
        there = _interface(router_id, plug, cloud)
        if there is None:
            raise missing(f"the router {router_id} has no interface there")
        return Done(there, id=_id(router_id, plug))

    def delete(self, at: At[RouterInterfaceProps], cloud: Cloud) -> Step:
        if at.id is not None:
            router_id, plug = _parsed(at.id)
            with suppress(CloudNotFound):
                cloud.network.put(f"/routers/{router_id}/remove_router_interface", plug)
        return Done()


def _ends(props: RouterInterfaceProps, cloud: Cloud) -> tuple[str, dict[str, str]]:
    """Return the router's id, and what it is plugged into as the request says it."""
    router_id = cloud.network.find("router", props.router)
    if props.port is not None:
        return router_id, {"port_id": cloud.network.find("port", props.port)}
    return router_id, {"subnet_id": cloud.network.find("subnet", props.subnet or "")}


def _id(router_id: str, plug: Mapping[str, str]) -> str:
    ((name, value),) = plug.items()
    return f"{router_id}:{name}={value}"


def _parsed(id: str) -> tuple[str, dict[str, str]]:
    router_id, _, plug = id.partition(":")
    name, _, value = plug.partition("=")
    return router_id, {name: value}


def _interface(router_id: str, plug: Mapping[str, str], cloud: Cloud) -> dict[str, Any] | None:
    """Return the interface as a request for it is answered, or None where there is none."""
    mine = {"device_id": router_id, "device_owner": OWNERS}
    at_port = {"id": plug["port_id"]} if "port_id" in plug else {}
    for port in cloud.network.list("port", **mine, **at_port):
        subnets = [each["subnet_id"] for each in port["fixed_ips"]]
        if plug.get("subnet_id") not in (None, *subnets):
            continue
        names = ("network_id", "project_id", "tenant_id")
        more = {name: port[name] for name in names if name in port}
        here = {"subnet_id": subnets[0] if subnets else None, "subnet_ids": subnets}
        return {"id": router_id, "port_id": port["id"], **here, **more}
    return None
