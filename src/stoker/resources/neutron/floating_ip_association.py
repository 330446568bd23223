"""OS::Neutron::FloatingIPAssociation: that a floating IP leads to a port.

Rule: it is a relation. A floating IP that leads elsewhere before is a conflict; one that
somebody has led elsewhere since is no longer ours, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stoker.errors import CloudNotFound
from stoker.resources.neutron.floating_ip import KIND, leading_to, led_to
from stoker.resources.neutron.implicit import stated
from stoker.resources.neutron.routed import interfaces_for
from stoker.resources.relation import absent, missing, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Others, Resource, Step, View, Wanted
from stoker.sdk.schema import Props, attrs, prop
from stoker.sdk.value import is_unknown


class FloatingIPAssociationProps(Props):
    floatingip_id: str = prop("The floating IP, by id.", updatable=True)
    port_id: str = prop(
        "The port that it is to lead to, by name or id.", updatable=True, is_a="neutron.port"
    )
    fixed_ip_address: str | None = prop(
        "Which of the port's addresses it leads to.",
        default=None,
        updatable=True,
        is_a="ip_addr",
    )


class FloatingIPAssociation(Resource[FloatingIPAssociationProps]):
    type_name = "OS::Neutron::FloatingIPAssociation"
    since = "2014.1"
    doc = "That a floating IP leads to a port."
    Props = FloatingIPAssociationProps
    service = "network"
    attributes = attrs()

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        return interfaces_for(stated(mine.properties, "port_id"), others)

    def exclusive(self, props: FloatingIPAssociationProps) -> frozenset[object]:
        """Return the floating IP and the port: an address leads to one, and from one."""
        mine: set[object] = set()
        if not is_unknown(props.floatingip_id):
            mine.add(("floating IP led", props.floatingip_id))
        if not is_unknown(props.port_id):
            mine.add(led_to(props.port_id))
        return frozenset(mine)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[FloatingIPAssociationProps], cloud: Cloud) -> Next | None:
        if not was_absent(at):
            return None
        led = _port_of(at.props.floatingip_id, cloud)
        return Next(id=at.props.floatingip_id, data=at.data) if led == at.data["port"] else None

    def create(self, at: At[FloatingIPAssociationProps], cloud: Cloud) -> Step:
        if at.id is None and was_absent(at):
            return _led(at, cloud)
        shown = cloud.network.show(KIND, at.props.floatingip_id)
        if at.id is not None:
            return Done(shown, data={"port": at.data["port"]})
        if shown["port_id"] is not None:
            raise _elsewhere(shown)
        return absent({"port": cloud.network.find("port", at.props.port_id)})

    def update(self, at: At[FloatingIPAssociationProps], cloud: Cloud) -> Step:
        """Let the old floating IP go where it is another; note where the new one is to lead."""
        port_id = cloud.network.find("port", at.props.port_id)
        if at.props.floatingip_id == at.owned:
            return _led(at, cloud) if at.data.get("to") == port_id else Next(data={"to": port_id})
        if _is_ours(at, cloud):
            cloud.network.update(KIND, at.owned, {"port_id": None})
            return Next()
        shown = cloud.network.show(KIND, at.props.floatingip_id)
        if shown["port_id"] not in (None, port_id):
            raise _elsewhere(shown)
        return Next(id=shown["id"], data={"to": port_id})

    def adopt(self, at: At[FloatingIPAssociationProps], cloud: Cloud) -> Step:
        port_id = cloud.network.find("port", at.props.port_id)
        shown = cloud.network.show(KIND, at.props.floatingip_id)
        if shown["port_id"] != port_id:
            raise missing(f"the floating IP {shown['id']} does not lead to the port {port_id}")
        return Done(shown, id=shown["id"], data={"port": port_id})

    def delete(self, at: At[FloatingIPAssociationProps], cloud: Cloud) -> Step:
        if at.id is not None and _is_ours(at, cloud):
            cloud.network.update(KIND, at.id, {"port_id": None})
        return Done()


def _led(at: At[FloatingIPAssociationProps], cloud: Cloud) -> Done:
    wanted = leading_to(at.props.port_id, at.props.fixed_ip_address, cloud)
    shown = cloud.network.update(KIND, at.props.floatingip_id, wanted)
    return Done(shown, id=shown["id"], data={"port": wanted["port_id"]})


def _is_ours(at: At[FloatingIPAssociationProps], cloud: Cloud) -> bool:
    """Tell whether the floating IP leads where we led it, or were about to."""
    led = _port_of(at.owned, cloud)
    return led is not None and led in (at.stored.get("port"), at.stored.get("to"))


def _port_of(floating_ip: str, cloud: Cloud) -> str | None:
    """Return the port that a floating IP leads to; None where there is none of the two."""
    try:
        led: str | None = cloud.network.show(KIND, floating_ip)["port_id"]
    except CloudNotFound:
        return None
    return led


def _elsewhere(shown: Mapping[str, Any]) -> Exception:
    text = f"the floating IP {shown['id']} leads to the port {shown['port_id']} already"
    return taken(text, "floatingip_id")
