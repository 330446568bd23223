from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stoker.errors import Invalid
from stoker.lang.expression import Call
from stoker.sdk.resource import Wanted
from tests.resources.recorded import Template
from tests.resources.stepping import Life, kind_of
from tests.resources.toy_cloud import ToyCloud

SERVER = "OS::Nova::Server"
SMALL = {"image": "ubuntu", "flavor": "small"}


def _interfaces(cloud: ToyCloud, id: str | None) -> list[tuple[str, str]]:
    rows = cloud.compute.servers[id or ""]["interfaces"]
    return [(row["port_id"], row["net_id"]) for row in rows]


def _floating(cloud: ToyCloud, **led: Any) -> str:
    return str(cloud.network.create("floatingip", {"port_id": None, **led})["id"])


def test_a_floating_ip_leads_to_the_port_made_for_its_interface() -> None:
    cloud = ToyCloud()
    one, two = _floating(cloud), _floating(cloud)
    life = Life(SERVER, cloud)
    life.create({**SMALL, "networks": [{"network": "net-x", "floating_ip": one}]})
    own = life.stored["ports"]["0"]
    assert cloud.network.show("floatingip", one)["port_id"] == own
    life.update({**SMALL, "networks": [{"network": "net-x", "floating_ip": two}]})
    assert _interfaces(cloud, life.id) == [(own, "net-x")]
    led = [cloud.network.show("floatingip", each)["port_id"] for each in (one, two)]
    assert led == [None, own]
    life.update({**SMALL, "networks": [{"network": "net-x"}]})
    assert cloud.network.show("floatingip", two)["port_id"] is None


def test_a_floating_ip_leaves_a_given_port_with_the_server() -> None:
    cloud = ToyCloud()
    floating = _floating(cloud)
    life = Life(SERVER, cloud)
    life.create({**SMALL, "networks": [{"port": "p-x", "floating_ip": floating}]})
    assert cloud.network.show("floatingip", floating)["port_id"] == "p-x"
    life.delete()
    assert cloud.network.show("floatingip", floating)["port_id"] is None


def test_a_floating_ip_that_leads_elsewhere_is_left_there() -> None:
    cloud = ToyCloud()
    floating = _floating(cloud, port_id="somebodys")
    life = Life(SERVER, cloud)
    with pytest.raises(Invalid, match="leads to the port somebodys already"):
        life.create({**SMALL, "networks": [{"port": "p-x", "floating_ip": floating}]})
    assert cloud.compute.servers == {}
    life = Life(SERVER, cloud, applied={**SMALL, "networks": []})
    life.create({**SMALL, "networks": [{"port": "p-x"}]})
    life.applied = {**SMALL, "networks": [{"port": "p-x", "floating_ip": floating}]}
    life.delete()
    assert cloud.network.show("floatingip", floating)["port_id"] == "somebodys"


ROUTED = Template(
    way=("OS::Neutron::RouterInterface", {"router": "r", "subnet": "s"}),
    port=("OS::Neutron::Port", {"network": "net", "fixed_ips": [{"subnet": "other"}]}),
)


@pytest.mark.parametrize(
    ("nic", "expected"),
    [
        ({"network": "net"}, []),
        ({"network": "net", "floating_ip": "f"}, ["way"]),
        ({"port": Call("get_resource", "port", "2021-04-16", None), "floating_ip": "f"}, []),
    ],
)
def test_an_address_from_outside_comes_after_the_way_to_it(
    nic: Mapping[str, Any], expected: list[str]
) -> None:
    wanted = Wanted("s", SERVER, {"networks": [nic]})
    assert list(kind_of(SERVER).after(wanted, ROUTED)) == expected
