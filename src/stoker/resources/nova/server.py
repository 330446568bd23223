"""OS::Nova::Server: a server, its interfaces and the ports made for them.

Rule: a server carries its mark as a tag from its first moment; ports made for it carry its
name. ``Done.data`` keeps those ports, and deleting the server deletes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, NotFound, Problem
from stoker.resources.neutron.implicit import NETWORK_NAMES, stated, subnets_on
from stoker.resources.nova import (
    server_console,
    server_export,
    server_floating,
    server_image,
    server_interfaces,
    server_live,
    server_rest,
    server_update,
)
from stoker.resources.nova.image_copy import ImageCopy
from stoker.resources.nova.server_body import create_body, mark_tag, unnumbered
from stoker.resources.nova.server_files import file_problems, post_server
from stoker.resources.nova.server_network import (
    held,
    needs_port,
    nic_problems,
    port_body,
    port_name,
)
from stoker.resources.nova.server_props import Nic, ServerProps
from stoker.resources.nova.server_state import (
    ACTIVE,
    BUILDING,
    ERROR,
    GONE,
    attributes,
    is_moving,
    refuse_error,
)
from stoker.resources.polling import is_still, poll, poll_on
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Others, Resource, Step, View, Walked, Wanted
from stoker.sdk.schema import Attr, Support, attrs
from stoker.sdk.value import is_open, is_unknown

MAX_NAME: Final = 53  # Heat's max_server_name_length


_OF_A_PORT: Final = ("id", "network_id", "mac_address")


class Server(Resource[ServerProps]):
    type_name = "OS::Nova::Server"
    since = "2014.1"
    doc = "A virtual machine."
    Props = ServerProps
    service = "compute"
    name_limit = MAX_NAME
    attributes = attrs(
        name=Attr("Its name."),
        instance_id=Attr("Its id."),
        addresses=Attr("Its addresses and ports, by network.", "map", Support(since="11.0.0")),
        networks=Attr("Its addresses, by network.", "map"),
        first_address=Attr("Its first address.", None, Support("HIDDEN", "5.0.0")),
        ip_address=Attr("The address it is reached at, if set, else its first."),
        instance_name=Attr("Its name on the hypervisor; for administrators."),
        accessIPv4=Attr("The IPv4 address it is reached at.", "string", Support("DEPRECATED")),
        accessIPv6=Attr("The IPv6 address it is reached at.", "string", Support("DEPRECATED")),
        console_urls=Attr(
            "Addresses of its consoles, by type, at the moment.", "map", Support(since="2015.1")
        ),
        tags=Attr("Its tags.", "list", Support(since="8.0.0")),
        os_collect_config=Attr("What os-collect-config runs with.", "map", Support(since="9.0.0")),
    )

    live_attributes = frozenset({"console_urls"})

    def validate(self, props: ServerProps) -> Iterable[Problem]:
        if props.user_data_format == "SOFTWARE_CONFIG":
            text = "SOFTWARE_CONFIG is not supported yet; use RAW"
            yield _problem(text, "user_data_format")
        if props.reservation_id is not None:
            text = "Nova names reservations itself, and makes no server in one: leave it out"
            yield _problem(text, "reservation_id")
        yield from nic_problems(props.networks)
        yield from file_problems(props)
        if props.image is None and not (
            props.block_device_mapping or _boots(props.block_device_mapping_v2)
        ):
            text = "nothing to boot: give image, or a device in block_device_mapping_v2"
            yield _problem(text, "image")
        if props.image is not None and _has_first(props.block_device_mapping_v2):
            text = "more than one source to boot: image, and the device with boot_index 0"
            yield _problem(text, "block_device_mapping_v2")
        if not is_open(props.block_device_mapping_v2) and len(unnumbered(props) or ()) > 1:
            text = "more than one device could be booted: give one of them boot_index 0"
            yield _problem(text, "block_device_mapping_v2")

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        """Return the subnets on its networks, or all where Nova chooses; the way to addresses."""
        nics = stated(mine.properties, "networks")
        if not isinstance(nics, list | tuple):
            return [each.name for each in others.of_type("OS::Neutron::Subnet")]
        named = (stated(nic, *NETWORK_NAMES) for nic in nics)
        subnets = subnets_on([each for each in named if each is not None], others)
        return [*subnets, *server_floating.after(nics, others)]

    def replaces(
        self, old: ServerProps, new: ServerProps, changed: frozenset[str]
    ) -> frozenset[str]:
        forced = super().replaces(old, new, changed)
        rules = {
            "flavor": new.flavor_update_policy == "REPLACE",
            "image": new.image_update_policy == "REPLACE" or None in (old.image, new.image),
            "user_data": new.user_data_update_policy == "REPLACE",
        }
        return forced | {name for name, replace in rules.items() if replace and name in changed}

    def exclusive(self, props: ServerProps) -> frozenset[object]:
        return held(props.networks) | server_floating.held(props.networks)

    def look(self, view: View, name: str, path: tuple[Any, ...], cloud: Cloud) -> Any:
        server = str(view.id)
        if path:
            return Walked(server_console.url(server, str(path[0]), cloud))
        return server_console.urls(server, cloud)

    def find(self, at: At[ServerProps], cloud: Cloud) -> Next | None:
        rows = cloud.compute.get("/servers", tags=mark_tag(at.mark))["servers"]
        if rows:
            return Next(id=rows[0]["id"], data=at.data)
        i = _next_port(at)
        made = [] if i is None else _ports_called(port_name(at.name, i), cloud)
        return _with_port(at, str(i), made[0]) if made else None

    def live(self, at: At[ServerProps], cloud: Cloud) -> Mapping[str, Any]:
        return server_live.properties(at, _shown(at, cloud), cloud)

    def is_sound(self, at: At[ServerProps], cloud: Cloud) -> bool:
        return _shown(at, cloud)["status"] not in {ERROR, *GONE}

    def create(self, at: At[ServerProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self._built(at, cloud)
        i = _next_port(at)
        if i is not None:
            nic = (at.props.networks or ())[i]
            body = {**port_body(nic, at.props, cloud), "name": port_name(at.name, i)}
            return _with_port(at, str(i), cloud.network.create("port", body)["id"])
        nics, ports = at.props.networks or (), _ports(at, cloud)
        if server_floating.lead(nics, ports, cloud):
            return Next(data=at.data)
        made = post_server(create_body(at, at.data.get("ports", {}), cloud), cloud)
        return poll(at.data, made["server"]["id"])  # none is there at once

    def update(self, at: At[ServerProps], cloud: Cloud) -> Step:
        server = _shown(at, cloud)
        refuse_error(server)
        if is_moving(server):
            return poll(at.data)
        step = server_update.due(at, server, cloud) or server_interfaces.due(at, cloud)
        if step is not None:
            return step
        ports = server_interfaces.Ports.of(at).numbered
        return Done(_attributes(at, server, cloud), data={"ports": dict(ports)})

    def delete(self, at: At[ServerProps], cloud: Cloud) -> Step:
        if at.id is not None and not at.data.get("gone"):
            return self._deleted(at, cloud)
        left = _own_ports(at, cloud)
        if not left:
            return self._let_go(at, cloud)
        with suppress(CloudNotFound):
            cloud.network.delete("port", left[0])
        return Next(data={**at.data, "freed": [*at.data.get("freed", ()), left[0]]})

    def _let_go(self, at: At[ServerProps], cloud: Cloud) -> Step:
        """Take its floating IPs off ports that were given to it, and stay."""
        nics = () if is_open(at.props.networks) else at.props.networks or ()
        given = [nic for nic in nics if nic.port is not None and nic.floating_ip is not None]
        ports = [port for nic in given for port in _known_port(str(nic.port), cloud)]
        if server_floating.let_go(given, {}, ports, cloud):
            return Next(data={**at.data, "gone": True})
        return Done()

    def keep(self, at: At[ServerProps], cloud: Cloud) -> Step:
        try:
            server = _shown(at, cloud)
        except CloudNotFound:
            return Done()
        return server_image.due(at, server, cloud) or Done()

    copies = ImageCopy()
    copy_key = "snapshot_image_id"

    def is_copied(self, props: ServerProps) -> bool:
        """What boots from a volume has its data there."""
        return props.image is not None

    def restored(self, copy: str) -> Mapping[str, Any]:
        return {"image": copy}

    def stored_of(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return server_export.stored(data)

    def told_of(self, view: View) -> Mapping[str, Any]:
        return server_export.told(view.data)

    def check(self, at: At[ServerProps], cloud: Cloud) -> Step:
        server = _shown(at, cloud)
        return server_rest.checked(server, at.data) or Done(_attributes(at, server, cloud))

    def suspend(self, at: At[ServerProps], cloud: Cloud) -> Step:
        return self._changed(server_rest.SUSPEND, at, cloud)

    def resume(self, at: At[ServerProps], cloud: Cloud) -> Step:
        return self._changed(server_rest.RESUME, at, cloud)

    def _changed(self, change: server_rest.Change, at: At[ServerProps], cloud: Cloud) -> Step:
        server = _shown(at, cloud)
        step = server_rest.due(change, server, at.data, cloud)
        return step or Done(_attributes(at, server, cloud))

    def _built(self, at: At[ServerProps], cloud: Cloud) -> Step:
        if is_still(at, cloud.compute, "/servers", BUILDING):
            return poll_on(at.data)
        server = _shown(at, cloud)
        refuse_error(server)
        if server["status"] != ACTIVE:
            return poll(at.data)
        data = {"ports": dict(at.data.get("ports", {}))}
        return Done(_attributes(at, server, cloud), data=data)

    def _deleted(self, at: At[ServerProps], cloud: Cloud) -> Step:
        """Ask for the deletion once, then wait for Nova's own 404."""
        try:
            if not at.data.get("asked"):
                cloud.compute.remove(f"/servers/{at.owned}")
                return poll({"asked": True})
            server = dict(_shown(at, cloud))
        except CloudNotFound:
            server = {"status": "DELETED"}
        if server["status"] in GONE:
            return Next(data={"gone": True}) if _own_ports(at, cloud) else self._let_go(at, cloud)
        if not is_moving(server):
            refuse_error(server)
        return poll(at.data)


def _boots(devices: Any) -> bool:
    """Tell whether a device may be booted: a first one, or what is not known yet."""
    if devices is None:
        return False
    return is_open(devices) or any(each.boot_index in (0, None) for each in devices)


def _has_first(devices: Any) -> bool:
    """Tell whether a device is known to be the one to boot."""
    return not is_unknown(devices) and any(
        not is_unknown(each) and each.boot_index == 0 for each in devices or ()
    )


def _next_port(at: At[ServerProps]) -> int | None:
    """Return the first interface whose port is still to be made."""
    made = at.data.get("ports", {})
    nics = enumerate(at.props.networks or ())
    return next((i for i, nic in nics if needs_port(nic) and str(i) not in made), None)


def _ports(at: At[ServerProps], cloud: Cloud) -> dict[int, str]:
    """Return the ports of its interfaces, made or given, by the interface's index."""
    made = at.data.get("ports", {})
    nics = enumerate(at.props.networks or ())
    given = {i: cloud.network.find("port", nic.port) for i, nic in nics if nic.port is not None}
    return given | {int(i): port for i, port in made.items()}


def _with_port(at: At[ServerProps], number: str, id: str) -> Next:
    return Next(data={**at.data, "ports": {**at.data.get("ports", {}), number: id}})


def _own_ports(at: At[ServerProps], cloud: Cloud) -> list[str]:
    """Return the ports made for it, recorded or told of by a name, that are not deleted yet."""
    ports: Mapping[str, str] = at.stored.get("ports", {})
    found = list(ports.values())
    nics: Iterable[Nic] = () if is_unknown(at.props.networks) else at.props.networks or ()
    names = [port_name(at.name, i) for i, nic in enumerate(nics) if needs_port(nic)]
    if names:
        found += [row["id"] for row in cloud.network.list("port", name=names, fields="id")]
    freed = at.data.get("freed", ())
    return [port for port in dict.fromkeys(found) if port not in freed]


def _ports_called(name: str, cloud: Cloud) -> list[str]:
    return [str(row["id"]) for row in cloud.network.list("port", name=name, fields="id")]


def _known_port(name: str, cloud: Cloud) -> list[str]:
    """Return the id of a port, where it is still there."""
    try:
        return [cloud.network.find("port", name)]
    except NotFound:
        return []


def _shown(at: At[ServerProps], cloud: Cloud) -> Mapping[str, Any]:
    server: Mapping[str, Any] = cloud.compute.get(f"/servers/{at.owned}")["server"]
    return server


def _attributes(at: At[ServerProps], server: Mapping[str, Any], cloud: Cloud) -> Mapping[str, Any]:
    # Nova would ask Neutron for the same, and have one call more to answer.
    ports = cloud.network.list("port", device_id=at.owned, fields=_OF_A_PORT)
    return attributes(server, ports)


def _problem(text: str, name: str) -> Problem:
    return Problem(text, (name,), None, Kind.PROPERTY)
