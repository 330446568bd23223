"""openstacksdk's ``conn.orchestration``, and its cloud layer, against the API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import openstack
import pytest

from tests.e2e.rest import Rest, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "templates" / "life"
NAME = "sdk-life"


def given(conn: Any, template: str, **parameters: object) -> Any:
    """Return the arguments that the SDK makes of files and parameters."""
    read = conn.orchestration.read_env_and_templates(
        template_file=str(FOLDER / template), environment_files=[str(FOLDER / "env.yaml")]
    )
    return {**read, "parameters": parameters}


@pytest.fixture(scope="module")
def stack(conn: Any) -> Iterator[Any]:
    """Create the stack that the tests of this file share, and delete it."""
    heat = conn.orchestration
    arguments = given(conn, "stack.yaml", length=9, note="n1")
    made = heat.create_stack(name=NAME, tags="x,y", is_rollback_disabled=True, **arguments)
    yield heat.wait_for_status(made, "CREATE_COMPLETE", interval=0.1, wait=30)
    heat.delete_stack(made)
    heat.wait_for_delete(made, interval=0.1, wait=30)


def ids(conn: Any, stack: Any) -> dict[str, str]:
    return {each.name: each.physical_resource_id for each in conn.orchestration.resources(stack)}


def updated(conn: Any, stack: Any, template: str, **more: object) -> Any:
    heat = conn.orchestration
    heat.update_stack(stack.id, **given(conn, template, **more))
    begun = heat.get_stack(stack.id)  # what the SDK already holds it does not ask for again
    return heat.wait_for_status(begun, "UPDATE_COMPLETE", interval=0.1, wait=30)


def test_a_stack_is_found_listed_and_got(conn: Any, stack: Any) -> None:
    heat = conn.orchestration
    assert heat.find_stack(NAME).id == stack.id
    assert heat.find_stack(stack.id).name == NAME
    assert heat.find_stack("no-such", ignore_missing=True) is None
    assert NAME in {each.name for each in heat.stacks()}
    assert [each.name for each in heat.stacks(name=NAME, status="COMPLETE")] == [NAME]
    got = heat.get_stack(stack.id)
    assert (got.status, got.status_reason) == (
        "CREATE_COMPLETE",
        "Stack CREATE completed successfully",
    )
    assert got.parameters["key"] == "******"
    assert got.parameters["length"] == "9"
    assert got.tags == ["x", "y"]
    values = {each["output_key"]: each["output_value"] for each in got.outputs}
    assert values["notes"] == ["n1", "n1"]
    assert len(values["word"]) == 9
    with pytest.raises(openstack.exceptions.NotFoundException):
        heat.get_stack("no-such")


def test_template_environment_and_files_come_back(conn: Any, stack: Any) -> None:
    heat = conn.orchestration
    assert heat.get_stack_template(stack).resources.keys() == {
        "word", "pair", "net", "subnet", "port",
    }  # fmt: skip
    environment = heat.get_stack_environment(stack)
    assert environment.parameters["key"] == "******"
    assert any(name.endswith("child.yaml") for name in heat.get_stack_files(stack))


def test_resources_and_events_are_listed(conn: Any, stack: Any) -> None:
    resources = {each.name: each for each in conn.orchestration.resources(stack)}
    assert resources["port"].resource_type == "OS::Neutron::Port"
    assert resources["port"].status == "CREATE_COMPLETE"
    assert conn.network.get_port(resources["port"].physical_resource_id).status in {
        "ACTIVE",
        "DOWN",
    }
    told = [
        (each.resource_name, each.resource_status)
        for each in conn.orchestration.stack_events(stack)
    ]
    assert ("net", "CREATE_COMPLETE") in told
    only = conn.orchestration.stack_events(stack, "port")
    assert {each.resource_name for each in only} == {"port"}


def test_templates_are_validated(conn: Any) -> None:
    template = (FOLDER / "child.yaml").read_text()
    found = conn.orchestration.validate_template(template)
    assert found.parameters["note"]["Type"] == "String"
    with pytest.raises(openstack.exceptions.BadRequestException, match="no_such"):
        conn.orchestration.validate_template(
            template.replace("get_param: note", "get_param: no_such")
        )


def test_an_update_in_place_keeps_what_it_changes(conn: Any, stack: Any) -> None:
    before = ids(conn, stack)
    updated(conn, stack, "stack.yaml", length=9, note="n2")
    assert ids(conn, stack) == before
    assert conn.network.get_network(before["net"]).name == "n2"


def test_an_update_replaces_adds_and_removes(conn: Any, stack: Any) -> None:
    before = ids(conn, stack)
    updated(conn, stack, "stack.yaml", length=4, note="n2")
    replaced = ids(conn, stack)
    assert {name for name in before if before[name] != replaced[name]} == {"word"}
    updated(conn, stack, "more.yaml", length=4, note="n2")
    assert ids(conn, stack) == {**replaced, "lock": "n2"}
    assert conn.compute.find_keypair("n2") is not None
    updated(conn, stack, "stack.yaml", length=4, note="n2")
    assert ids(conn, stack) == replaced
    assert conn.compute.find_keypair("n2") is None


def test_the_cloud_layer_creates_waits_and_deletes(conn: Any) -> None:
    made = conn.create_stack(
        "sdk-cloud-layer", template_file=str(FOLDER / "child.yaml"), note="n", wait=True,
        rollback=False,
    )  # fmt: skip
    assert made.status == "CREATE_COMPLETE"
    assert made.outputs[0]["output_value"] == "n"
    assert [each.name for each in conn.search_stacks("sdk-cloud-layer")] == ["sdk-cloud-layer"]
    changed = conn.update_stack(
        "sdk-cloud-layer", template_file=str(FOLDER / "child.yaml"), note="m", rollback=False
    )
    assert changed.status in {"UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"}
    assert conn.delete_stack("sdk-cloud-layer", wait=True)
    assert conn.get_stack("sdk-cloud-layer") is None
    assert not conn.delete_stack("sdk-cloud-layer")


def test_deleting_leaves_nothing(conn: Any, rest: Rest) -> None:
    heat = conn.orchestration
    made = heat.create_stack(name="sdk-gone", **given(conn, "stack.yaml", note="gone"))
    heat.wait_for_status(made, "CREATE_COMPLETE", interval=0.1, wait=30)
    there = ids(conn, made)
    heat.delete_stack(made, ignore_missing=False)
    heat.wait_for_delete(made, interval=0.1, wait=30)
    assert Stack(rest, "sdk-gone", made.id).show()["stack_status"] == "DELETE_COMPLETE"
    assert conn.network.find_network(there["net"]) is None
    assert conn.network.find_port(there["port"]) is None
