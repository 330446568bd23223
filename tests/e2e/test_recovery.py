"""What is made of objects that a cloud made badly or half-way, through the API."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openstack.connection import Connection

    from tests.app.serving import Serving
    from tests.e2e.rest import Rest, Stack

HOT = "2018-08-31"
IMAGE, FLAVOR = "cirros-0.6.2-x86_64-disk", "m1.tiny"
ONCE = ["CREATE_IN_PROGRESS", "CREATE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"]


def template(**resources: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": HOT, "resources": resources}


def server(**metadata: str) -> dict[str, Any]:
    properties = {
        "image": IMAGE,
        "flavor": FLAVOR,
        "networks": [{"allocate_network": "none"}],
        "metadata": metadata,
    }
    return template(it={"type": "OS::Nova::Server", "properties": properties})


def net(*, up: bool = True) -> dict[str, Any]:
    properties = {"name": "a-name-of-its-own", "tags": ["half-way"], "admin_state_up": up}
    return template(it={"type": "OS::Neutron::Net", "properties": properties})


def disturb(served: Serving, **fault: Any) -> None:
    url = f"http://127.0.0.1:{served.ports['devcloud']}/devcloud/faults"
    body = json.dumps({"count": 1, "status": 400, **fault}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()  # noqa: S310 - our own server


def told(stack: Stack, name: str = "it") -> list[str]:
    return [x["resource_status"] for x in stack.events() if x["resource_name"] == name]


def test_a_server_that_boots_into_error_is_deleted_and_made_again_until_a_better_goal_comes(
    rest: Rest, conn: Connection, name: str
) -> None:
    others = {each.id for each in conn.compute.servers()}
    stack = rest.create(name, server(**{"devcloud:error": "No valid host was found."}))
    while told(stack)[: len(ONCE)] != ONCE:
        assert stack.show()["stack_status"] == "CREATE_IN_PROGRESS"
    stack.updated(server())
    assert told(stack)[-2:] == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    made = stack.physical_ids()["it"]
    assert {each.id for each in conn.compute.servers()} - others == {made}
    stack.deleted()


def test_what_was_made_half_way_is_finished_by_the_next_update(
    rest: Rest, conn: Connection, served: Serving, name: str
) -> None:
    disturb(served, service="network", method="PUT", path="/tags")
    stack = rest.create(name, net())
    stack.wait("CREATE_FAILED")
    before = stack.physical_ids()["it"]
    stack.updated(net())
    assert (stack.statuses(), stack.physical_ids()) == ({"it": "CREATE_COMPLETE"}, {"it": before})
    found = conn.network.get_network(before)
    assert (found.name, found.tags) == ("a-name-of-its-own", ["half-way"])
    stack.deleted()


def test_what_was_made_half_way_becomes_what_the_next_update_wants(
    rest: Rest, conn: Connection, served: Serving, name: str
) -> None:
    disturb(served, service="network", method="PUT", path="/tags")
    stack = rest.create(name, net())
    stack.wait("CREATE_FAILED")
    before = stack.physical_ids()["it"]
    stack.updated(net(up=False))
    assert (stack.statuses(), stack.physical_ids()) == ({"it": "UPDATE_COMPLETE"}, {"it": before})
    found = conn.network.get_network(before)
    assert (found.name, found.tags, found.is_admin_state_up) == (
        "a-name-of-its-own",
        ["half-way"],
        False,
    )
    stack.deleted()


CHILD = """
heat_template_version: 2018-08-31
parameters: {length: {type: number, default: 6}}
resources:
  word: {type: OS::Heat::RandomString, properties: {length: {get_param: length}}}
outputs: {word: {value: {get_attr: [word, value]}}}
"""
OTHER = CHILD.replace("outputs:", "  more: {type: OS::Heat::RandomString}\noutputs:")


def test_a_type_that_is_mapped_to_another_file_keeps_its_child_stack(rest: Rest, name: str) -> None:
    files = {"a.yaml": CHILD, "b.yaml": OTHER}

    def given(file: str) -> dict[str, Any]:
        return {"files": files, "environment": {"resource_registry": {"My::Word": file}}}

    wanted = template(it={"type": "My::Word"})
    wanted["outputs"] = {"word": {"value": {"get_attr": ["it", "word"]}}}
    stack = rest.create(name, wanted, **given("a.yaml"))
    stack.wait("CREATE_COMPLETE")
    before, word = stack.physical_ids(), stack.outputs()
    stack.updated(wanted, **given("b.yaml"))
    assert (stack.physical_ids(), stack.outputs()) == (before, word)
    assert {x["resource_name"] for x in stack.resources(1)} == {"it", "word", "more"}
    stack.updated(wanted, **given("a.yaml"))
    assert (stack.physical_ids(), stack.outputs()) == (before, word)
    assert {x["resource_name"] for x in stack.resources(1)} == {"it", "word"}
    stack.deleted()


def test_what_others_made_is_taken_in_and_left(rest: Rest, conn: Connection, name: str) -> None:
    theirs = conn.network.create_network(name="theirs")
    subnet = {"network": {"get_resource": "it"}, "cidr": "10.9.0.0/24"}
    wanted = template(
        it={"type": "OS::Neutron::Net", "external_id": theirs.id},
        sub={"type": "OS::Neutron::Subnet", "properties": subnet},
    )
    wanted["outputs"] = {"name": {"value": {"get_attr": ["it", "name"]}}}
    stack = rest.create(name, wanted)
    stack.wait("CREATE_COMPLETE")
    assert stack.outputs() == {"name": "theirs"}
    assert stack.statuses()["it"] == "CHECK_COMPLETE"
    assert [x.id for x in conn.network.subnets(network_id=theirs.id)] == [
        stack.physical_ids()["sub"]
    ]
    stack.deleted()
    assert conn.network.get_network(theirs.id).name == "theirs"
    conn.network.delete_network(theirs)


def test_the_data_of_a_server_and_a_volume_outlive_them(
    rest: Rest, conn: Connection, name: str
) -> None:
    volume = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}
    wanted = server()
    wanted["resources"]["vol"] = volume
    for each in wanted["resources"].values():
        each["deletion_policy"] = "Snapshot"
    stack = rest.create(name, wanted)
    stack.wait("CREATE_COMPLETE")
    made = stack.physical_ids()
    called = conn.compute.get_server(made["it"]).name
    stack.deleted()
    (backup,) = [x for x in conn.block_storage.backups() if x.volume_id == made["vol"]]
    (image,) = conn.image.images(name=called)
    assert (backup.status, image.status) == ("available", "active")
    assert made["vol"] not in {each.id for each in conn.block_storage.volumes()}
    assert made["it"] not in {each.id for each in conn.compute.servers()}
    conn.block_storage.delete_backup(backup.id)
    conn.image.delete_image(image.id)
