"""Servers through their lives: what they hold moves to their replacements and is given back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.rest import Json
from tests.e2e.tenant import Tenant

MAC = "fa:16:3e:12:34:56"


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    """Return a project with two key pairs: another one replaces a server."""
    made = tenants("servers")
    for name in ("one", "two"):
        made.conn.compute.create_keypair(name=name)
    return made


def template(key: str, nic: Json, **more: Any) -> Json:
    """Return a network with a way out, an address there, and a server with this interface."""
    ref = {name: {"get_resource": name} for name in ("net", "router", "subnet")}
    server = {"image": "ubuntu-24.04", "flavor": "m1.tiny", "key_name": key, "networks": [nic]}
    kinds: dict[str, tuple[str, Json]] = {
        "net": ("Neutron::Net", {}),
        "subnet": ("Neutron::Subnet", {"network": ref["net"], "cidr": "10.0.9.0/24"}),
        "router": ("Neutron::Router", {"external_gateway_info": {"network": "public"}}),
        "way": ("Neutron::RouterInterface", {"router": ref["router"], "subnet": ref["subnet"]}),
        "fip": ("Neutron::FloatingIP", {"floating_network": "public"}),
        "server": ("Nova::Server", {**server, **more}),
    }
    resources = {n: {"type": f"OS::{t}", "properties": p} for n, (t, p) in kinds.items()}
    return {"heat_template_version": "2021-04-16", "resources": resources}


@pytest.mark.parametrize(
    "nic",
    [
        {"network": {"get_resource": "net"}, "fixed_ip": "10.0.9.77"},
        {
            "network": {"get_resource": "net"},
            "subnet": {"get_resource": "subnet"},
            "fixed_ip": "10.0.9.77",
            "floating_ip": {"get_resource": "fip"},
            "port_extra_properties": {"mac_address": MAC},
        },
    ],
    ids=["fixed", "all"],
)
def test_a_replacement_takes_over_the_addresses_of_the_old_server(
    tenant: Tenant, name: str, nic: Json
) -> None:
    before = tenant.objects()
    stack = tenant.rest.create(name, template("one", nic))
    stack.wait("CREATE_COMPLETE")
    old = stack.physical_ids()["server"]
    stack.updated(template("two", nic))
    new = stack.physical_ids()["server"]
    assert new != old
    [port] = tenant.conn.network.ports(device_id=new)
    assert port.fixed_ips[0]["ip_address"] == "10.0.9.77"
    if "floating_ip" in nic:
        assert port.mac_address == MAC
        fip = tenant.conn.network.get_ip(stack.physical_ids()["fip"])
        assert fip.port_id == port.id
    stack.deleted()
    assert tenant.objects() == before


def test_a_port_that_is_replaced_goes_when_the_server_has_let_it_go(
    tenant: Tenant, name: str
) -> None:
    def with_port(mac: str) -> Json:
        whole = template("one", {"port": {"get_resource": "port"}})
        properties = {"network": {"get_resource": "net"}, "mac_address": mac}
        whole["resources"]["port"] = {"type": "OS::Neutron::Port", "properties": properties}
        return whole

    before = tenant.objects()
    stack = tenant.rest.create(name, with_port(MAC))
    stack.wait("CREATE_COMPLETE")
    old = stack.physical_ids()
    stack.updated(with_port("fa:16:3e:65:43:21"))
    new = stack.physical_ids()
    assert (new["server"] == old["server"], new["port"] == old["port"]) == (True, False)
    ports = tenant.conn.network.ports(device_id=new["server"])
    assert [port.id for port in ports] == [new["port"]]
    stack.deleted()
    assert tenant.objects() == before


def test_files_are_put_into_a_server(tenant: Tenant, name: str) -> None:
    nic = {"network": {"get_resource": "net"}}
    stack = tenant.rest.create(name, template("one", nic, personality={"/etc/motd": "hello"}))
    stack.wait("CREATE_COMPLETE")
    stack.deleted()


CONSOLE = """
heat_template_version: 2021-04-16
resources:
  server:
    type: OS::Nova::Server
    properties: {image: ubuntu-24.04, flavor: m1.tiny, networks: [{network: shared}]}
outputs:
  all: {value: {get_attr: [server, console_urls]}}
  one: {value: {get_attr: [server, console_urls, novnc]}}
  none: {value: {get_attr: [server, console_urls, teletype]}}
"""


def test_the_addresses_of_consoles_are_those_of_the_moment(tenant: Tenant, name: str) -> None:
    stack = tenant.rest.create(name, CONSOLE)
    stack.wait("CREATE_COMPLETE")
    server = stack.physical_ids()["server"]
    first, second = stack.outputs(), stack.outputs()
    assert f"/console/{server}?token=" in first["one"]
    assert first["all"].keys() >= {"novnc", "serial"}
    assert first["one"] != second["one"], "a new token each time"
    told = {each["output_key"]: each.get("output_error") for each in stack.show()["outputs"]}
    assert "HTTP 400 from compute" in str(told["none"])
    path = f"{stack.path}/resources/server"
    assert tenant.rest.get(path)["resource"]["attributes"]["console_urls"] is None
    asked = tenant.rest.get(f"{path}?with_attr=console_urls")["resource"]["attributes"]
    assert f"/console/{server}?token=" in asked["console_urls"]["novnc"]
    stack.deleted()
