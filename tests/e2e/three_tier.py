"""The life of the example with three tiers on any cloud: create, update, delete.

Rule: it takes the API and openstacksdk's connection of one account, and nothing of the embedded
cloud; what that can do besides is done by who calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e import order

if TYPE_CHECKING:
    from tests.e2e.rest import Rest, Stack

TEMPLATE = Path(__file__).parents[2] / "examples" / "three-tier.yaml"
NEEDS: order.Edges = frozenset(
    {
        ("private_network", "private_subnet"),
        ("private_network", "server_port"),
        ("web_security_group", "server_port"),
        ("private_subnet", "router_interface"),
        ("router", "router_interface"),
        ("server_port", "floating_ip"),
        ("server_port", "web_server"),
        ("web_server", "volume_attachment"),
        ("data_volume", "volume_attachment"),
    }
)
"""What the graph must hold; that it holds more (a port waits for its subnet) is well."""
FREE = frozenset({"private_network", "router", "web_security_group", "data_volume"})
CHANGED = frozenset({"data_volume", "web_server"})
SECONDS = 300.0


def create(rest: Rest, name: str) -> Stack:
    """Create it; check its graph and in which order its resources came."""
    stack = rest.create(name, TEMPLATE.read_text(encoding="utf-8"))
    stack.wait("CREATE_COMPLETE", SECONDS)
    needs = order.edges(stack.resources())
    assert needs >= NEEDS
    assert order.first(needs, stack.statuses()) == FREE
    events = order.of(stack.events(), "CREATE")
    order.assert_ordered(events, needs)
    order.assert_together(events, FREE)
    return stack


def check_in_the_cloud(conn: Any, stack: Stack, size: int, flavor: str) -> None:
    """Check that the cloud has what the template says and the outputs tell."""
    ids, outputs = stack.physical_ids(), stack.outputs()
    volume = conn.block_storage.get_volume(ids["data_volume"])
    server = conn.compute.get_server(ids["web_server"])
    address = conn.network.get_ip(ids["floating_ip"])
    assert (volume.size, volume.status) == (size, "in-use")
    assert [each["server_id"] for each in volume.attachments] == [server.id]
    assert (server.status, server.flavor["original_name"]) == ("ACTIVE", flavor)
    assert (address.port_id, address.status) == (ids["server_port"], "ACTIVE")
    assert outputs["url"] == f"http://{address.floating_ip_address}/"
    assert outputs["private_address"] == address.fixed_ip_address


def update(stack: Stack, size: int, flavor: str) -> None:
    """Make the volume and the server bigger; check that nothing else was touched."""
    before, past = stack.physical_ids(), len(stack.events())
    parameters = {"volume_size": size, "flavor": flavor}
    answer = stack.update(method="PATCH", parameters=parameters)
    assert answer.status == 202, answer
    stack.wait("UPDATE_COMPLETE", SECONDS)
    events = [each for each in stack.events()[past:] if each["resource_name"] != stack.name]
    assert {each["resource_name"] for each in events} == CHANGED, order.told(events)
    order.assert_together(events, CHANGED, "UPDATE")
    assert stack.physical_ids() == before


def delete(stack: Stack) -> None:
    """Delete it; check in which order its resources went."""
    resources = stack.resources()
    needs, names = order.edges(resources), {each["resource_name"] for each in resources}
    stack.deleted(SECONDS)
    events = order.of(stack.events(), "DELETE")
    order.assert_ordered(events, needs, "DELETE")
    order.assert_together(events, order.last(needs, names), "DELETE")


def objects(conn: Any) -> set[tuple[str, str]]:
    """Return kind and id of all that a project has of what the example makes."""
    project = conn.current_project_id
    network = conn.network
    found = {
        "server": conn.compute.servers(),
        "volume": conn.block_storage.volumes(),
        "network": network.networks(project_id=project),
        "subnet": network.subnets(project_id=project),
        "port": network.ports(project_id=project),
        "router": network.routers(project_id=project),
        "floating ip": network.ips(project_id=project),
        "security group": network.security_groups(project_id=project),
        "security group rule": network.security_group_rules(project_id=project),
    }
    return {(kind, str(each.id)) for kind, rows in found.items() for each in rows}
