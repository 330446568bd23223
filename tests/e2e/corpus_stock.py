"""What templates take for granted: networks, images, keys … made beforehand, by name.

Rule: everything is made with the account that makes the stack, and taken away after it, so
that it works in any cloud; flavors alone are an administrator's (``Case.flavors``).
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from tests.e2e.corpus_case import Named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Ids = dict[Named, str]
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPP8JmTFsnxKFlRQ0sFLGzoPvv6eWsKYZqzkOZW2B2Vf a@b"
CIDRS = {
    "onap-net": "10.0.0.0/16",
    "unprotected-net": "192.168.10.0/24",
    "protected-net": "192.168.20.0/24",
    "pktgen-net": "192.168.9.0/24",
    "cpe-signal-net": "10.4.0.0/24",
    "cpe-public-net": "10.2.0.0/24",
    "bng-net": "10.3.0.0/24",
}
CIDR = "10.77.0.0/24"
"""Of a network that has none in ``CIDRS``."""
SECONDS = 60


@contextmanager
def given(conn: Any, needs: tuple[Named, ...]) -> Iterator[Ids]:
    """Make what is needed, in that order; give the ids and, at the end, take it away."""
    ids: Ids = {}
    with ExitStack() as after:
        for each in needs:
            ids |= _MAKERS[each.kind](conn, each.name, after, ids)
        yield ids


def _network(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    """A network and its one subnet, of the same name."""
    network = conn.network.create_network(name=name)
    after.callback(conn.network.delete_network, network)
    subnet = conn.network.create_subnet(
        network_id=network.id, name=name, cidr=CIDRS.get(name, CIDR), ip_version=4
    )
    return {Named("network", name): network.id, Named("subnet", name): subnet.id}


def _router(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    """A router from the network ``public`` to the subnet of that name, which is there."""
    public = conn.network.find_network("public", ignore_missing=False)
    router = conn.network.create_router(name=name, external_gateway_info={"network_id": public.id})
    after.callback(conn.network.delete_router, router)
    subnet = {"subnet_id": ids[Named("subnet", name)]}
    conn.network.add_interface_to_router(router, **subnet)
    after.callback(conn.network.remove_interface_from_router, router, **subnet)
    return {Named("router", name): router.id}


def _port(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    """A port in the network that was made last."""
    (*_, network) = [id for each, id in ids.items() if each.kind == "network"]
    port = conn.network.create_port(name=name, network_id=network)
    after.callback(conn.network.delete_port, port)
    return {Named("port", name): port.id}


def _key(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    key = conn.compute.create_keypair(name=name, public_key=PUBLIC_KEY)
    after.callback(conn.compute.delete_keypair, key)
    return {Named("key", name): name}


def _image(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    image = conn.image.create_image(
        name=name, disk_format="raw", container_format="bare", data=b"nothing"
    )
    after.callback(conn.image.delete_image, image)
    return {Named("image", name): image.id}


def _group(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    group = conn.network.create_security_group(name=name)
    after.callback(conn.network.delete_security_group, group)
    return {Named("security_group", name): group.id}


def _floating_ip(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    """An address in an external network; its name is that network's."""
    network = conn.network.find_network(name, ignore_missing=False)
    address = conn.network.create_ip(floating_network_id=network.id)
    after.callback(conn.network.delete_ip, address)
    return {Named("floating_ip", name): address.id}


def _volume(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    volume = conn.block_storage.create_volume(name=name, size=1)
    after.callback(_without_volume, conn, volume)
    conn.block_storage.wait_for_status(volume, "available", ["error"], 0.1, SECONDS)
    return {Named("volume", name): volume.id}


def _without_volume(conn: Any, volume: Any) -> None:
    conn.block_storage.delete_volume(volume)
    conn.block_storage.wait_for_delete(volume, 0.1, SECONDS)


def _server(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    """A small server in the network ``shared``."""
    server = conn.compute.create_server(
        name=name,
        flavor_id=conn.compute.find_flavor("m1.nano", ignore_missing=False).id,
        image_id=conn.image.find_image("cirros-0.6.2-x86_64-disk", ignore_missing=False).id,
        networks=[{"uuid": conn.network.find_network("shared", ignore_missing=False).id}],
    )
    after.callback(_without_server, conn, server)
    conn.compute.wait_for_server(server, interval=0.1, wait=SECONDS)
    return {Named("server", name): server.id}


def _without_server(conn: Any, server: Any) -> None:
    conn.compute.delete_server(server)
    conn.compute.wait_for_delete(server, 0.1, SECONDS)


def _server_group(conn: Any, name: str, after: ExitStack, ids: Ids) -> Ids:
    group = conn.compute.create_server_group(name=name, policy="soft-anti-affinity")
    after.callback(conn.compute.delete_server_group, group)
    return {Named("server_group", name): group.id}


_MAKERS: dict[str, Callable[[Any, str, ExitStack, Ids], Ids]] = {
    "network": _network,
    "router": _router,
    "port": _port,
    "key": _key,
    "image": _image,
    "security_group": _group,
    "floating_ip": _floating_ip,
    "volume": _volume,
    "server": _server,
    "server_group": _server_group,
}
