"""openstacksdk and the openstack command against servers and networks, both unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openstack.exceptions
import pytest

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import Tenant
from tests.devcloud.nova.compute import Compute, settled

Connect = Callable[..., Any]


# It warns of methods of its own whenever it reads a network, or finds something by name.
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning")
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning")
def test_openstacksdk_takes_a_server_through_its_life(connect: Connect) -> None:
    c = connect("demo")
    network = c.network.create_network(name="sdk-net")
    subnet = c.network.create_subnet(network_id=network.id, ip_version=4, cidr="10.7.0.0/24")
    group = c.network.create_security_group(name="sdk-group")
    c.network.create_security_group_rule(
        security_group_id=group.id, direction="ingress", protocol="tcp", port_range_min=22,
        port_range_max=22,
    )  # fmt: skip
    made = c.compute.create_server(
        name="sdk-server",
        image_id=c.image.find_image("ubuntu-24.04").id,
        flavor_id=c.compute.find_flavor("m1.tiny").id,
        networks=[{"uuid": network.id}],
        security_groups=[{"name": "sdk-group"}],
    )
    server = c.compute.wait_for_server(made, wait=10, interval=0.05)
    assert server.addresses["sdk-net"][0]["addr"] == "10.7.0.2"
    with pytest.raises(openstack.exceptions.ConflictException, match="ports still in use"):
        c.network.delete_network(network)
    with pytest.raises(openstack.exceptions.ConflictException, match="in use"):
        c.network.delete_security_group(group)
    _float(c, server, subnet)
    c.compute.stop_server(server)
    c.compute.wait_for_server(server, status="SHUTOFF", wait=10, interval=0.05)
    c.compute.delete_server(server)
    c.compute.wait_for_delete(server, wait=10, interval=0.05)
    c.network.delete_security_group(group)


def _float(c: Any, server: Any, subnet: Any) -> None:
    public = c.network.find_network("public")
    router = c.network.create_router(external_gateway_info={"network_id": public.id})
    c.network.add_interface_to_router(router, subnet_id=subnet.id)
    (port,) = c.network.ports(device_id=server.id)
    floating = c.network.create_ip(floating_network_id=public.id, port_id=port.id)
    types = [a["OS-EXT-IPS:type"] for a in c.compute.get_server(server.id).addresses["sdk-net"]]
    assert types == ["fixed", "floating"]
    c.network.delete_ip(floating)
    c.network.remove_interface_from_router(router, subnet_id=subnet.id)
    c.network.delete_router(router)


BOOT = "server create --image ubuntu-24.04 --flavor m1.tiny --network cli-net --wait cli-server"
COMMANDS = (
    "network create cli-net -f json",
    "subnet create --network cli-net --subnet-range 10.1.0.0/24 cli-subnet -f json",
    "port create --network cli-net cli-port -f json",
    f"{BOOT} -f json",
    "server list -f json",
    "network delete cli-net",
)


def test_the_openstack_command_makes_a_server(cloud: Server) -> None:
    done = command(cloud, COMMANDS)
    network, subnet, port, server, servers = documents(done.stdout)
    assert (network["status"], subnet["gateway_ip"]) == ("ACTIVE", "10.1.0.1")
    assert port["fixed_ips"][0]["ip_address"] == "10.1.0.2"
    assert server["status"] == "ACTIVE"
    found = [each["Networks"] for each in servers if each["Name"] == "cli-server"]
    assert found == [{"cli-net": ["10.1.0.3"]}]
    first, second, *rest = done.stderr.splitlines()
    assert "There are one or more ports still in use on the network" in first
    assert (second, rest) == ("1 of 1 networks failed to delete.", [])


def command(cloud: Server, commands: Any) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "OS_AUTH_URL": cloud.auth_url,
        "OS_USERNAME": "demo",
        "OS_PASSWORD": "secret",
        "OS_PROJECT_NAME": "demo",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
        "OS_IDENTITY_API_VERSION": "3",
    }
    return subprocess.run(
        [str(Path(sys.executable).parent / "openstack")],
        input="\n".join([*commands, "exit"]),
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def documents(text: str) -> list[Any]:
    found, decoder, at = [], json.JSONDecoder(), 0
    while (starts := [n for n in (text.find("{", at), text.find("[", at)) if n >= 0]) != []:
        document, at = decoder.raw_decode(text, min(starts))
        found.append(document)
    return found


def test_servers_are_there_after_a_restart_and_go_on(tmp_path: Path) -> None:
    options = Options(port=0, state=f"{tmp_path}/state.sqlite", latency=0.3)
    with Server(options) as server:
        first = _compute(server)
        building = first.create()["id"]
        first.tenant.client.close()
    with Server(options) as server:
        again = _compute(server, first.network)
        assert again.until(building, "ACTIVE")["addresses"]["net"][0]["addr"] == "10.0.0.2"
        assert again.call("DELETE", f"servers/{building}").status == 204
        again.tenant.client.close()
    with Server(options) as server:
        last = _compute(server, first.network)
        last.gone(building)
        settled(lambda: last.ports(building), lambda ports: ports == [])
        last.tenant.client.close()


def _compute(server: Server, network: str = "") -> Compute:
    client = Client(server.url).user("demo")
    tenant = Tenant(client, client.me()["project"]["id"])
    image = client.get("/image/v2/images?name=ubuntu-24.04").body["images"][0]["id"]
    return Compute(tenant, network or tenant.network()[0]["id"], image)
