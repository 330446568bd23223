"""python-openstackclient with python-heatclient against the API, as a person types it.

One stack lives through the whole file; the tests run in their order, and a file is one worker's.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "templates" / "life"
NAME = "client-life"
GIVEN = ("-t", "stack.yaml", "-e", "env.yaml")
WAIT = ("--wait", "--poll", "1")
RESOURCES = {"word", "pair", "net", "subnet", "port"}


@pytest.fixture(scope="module")
def program(clouds_yaml: Path) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, FOLDER)) as found:
        yield found


@pytest.fixture(scope="module")
def stack(program: OpenStackProgram) -> str:
    """Create the stack that the tests of this file share."""
    given = ("--parameter", "length=12", "--parameter", "note=n1", "--tags", "a,b")
    ran = program.ok("stack", "create", *WAIT, *GIVEN, *given, NAME)
    assert re.search(rf"\[{NAME}\]: CREATE_COMPLETE  Stack CREATE completed successfully", ran.out)
    assert (
        re.search(rf"\[{NAME}\.pair\.1\.inner\]: CREATE_COMPLETE  state changed", ran.out) is None
    )
    assert re.search(r"\| stack_status +\| CREATE_COMPLETE", ran.out)
    return NAME


def by_name(program: OpenStackProgram) -> dict[str, Any]:
    listed = program.json("stack", "resource", "list", NAME)
    return {each["resource_name"]: each for each in listed}


def ids(program: OpenStackProgram) -> dict[str, str]:
    return {name: each["physical_resource_id"] for name, each in by_name(program).items()}


def update(program: OpenStackProgram, template: str, *more: str) -> str:
    """Update the stack, which keeps its other parameters, and return what was told."""
    given = ("-t", template, "-e", "env.yaml", *more)
    ran = program.ok("stack", "update", "--wait", *given, NAME)
    assert f"[{NAME}]: UPDATE_COMPLETE  Stack UPDATE completed successfully" in ran.out
    return ran.out


def test_show_tells_all_and_masks_what_is_hidden(program: OpenStackProgram, stack: str) -> None:
    shown = program.json("stack", "show", stack)
    assert list(shown) == [
        "id", "stack_name", "description", "creation_time", "updated_time", "stack_status",
        "stack_status_reason", "parameters", "outputs", "links", "deletion_time",
        "notification_topics", "capabilities", "disable_rollback", "timeout_mins", "stack_owner",
        "parent", "stack_user_project_id", "tags",
    ]  # fmt: skip
    own = {key: value for key, value in shown["parameters"].items() if "::" not in key}
    assert own == {"length": "12", "note": "n1", "key": "******"}
    assert shown["tags"] == ["a", "b"]
    assert shown["disable_rollback"] is True
    by_id = program.json("stack", "show", shown["id"], "--no-resolve-outputs")
    assert "outputs" not in by_id
    assert by_id["id"] == shown["id"]


def test_resource_list_goes_down_into_nested_stacks(program: OpenStackProgram, stack: str) -> None:
    listed = program.json("stack", "resource", "list", "-n", "5", stack)
    assert list(listed[0]) == [
        "resource_name", "physical_resource_id", "resource_type", "resource_status",
        "updated_time", "stack_name",
    ]  # fmt: skip
    assert {each["resource_name"] for each in listed if each["stack_name"] == stack} == RESOURCES
    assert [each["resource_name"] for each in listed if each["stack_name"] != stack].count(
        "inner"
    ) == 2
    assert {each["resource_status"] for each in listed} == {"CREATE_COMPLETE"}
    filtered = program.json("stack", "resource", "list", "--filter", "name=port", stack)
    assert [each["resource_name"] for each in filtered] == ["port"]
    dot = program.ok("stack", "resource", "list", "-n", "5", "-f", "dot", stack).out
    assert re.match(r"digraph G \{\n  graph \[\n", dot)
    assert " -> " in dot


def test_resource_show_gives_attributes(program: OpenStackProgram, stack: str) -> None:
    shown = program.json("stack", "resource", "show", stack, "port")
    assert shown["resource_type"] == "OS::Neutron::Port"
    assert shown["required_by"] == []
    assert shown["attributes"]["fixed_ips"][0]["ip_address"].startswith("10.7.0.")
    assert {each["rel"] for each in shown["links"]} == {"self", "stack"}
    nested = program.json("stack", "resource", "show", stack, "pair")
    assert "nested" in {each["rel"] for each in nested["links"]}
    assert program.json("stack", "resource", "metadata", stack, "port") == {}


def test_an_update_in_place_keeps_what_it_changes(program: OpenStackProgram, stack: str) -> None:
    before = ids(program)
    out = update(program, "stack.yaml", "--parameter", "length=12", "--parameter", "note=n2")
    assert ids(program) == before
    assert f"[{stack}.net]: UPDATE_COMPLETE  state changed" in out
    shown = program.json("network", "show", before["net"])
    assert shown["name"] == "n2"


def test_an_update_replaces_what_cannot_change(program: OpenStackProgram, stack: str) -> None:
    before = ids(program)
    word = program.json("stack", "output", "show", stack, "word")["output_value"]
    update(program, "stack.yaml", "--existing", "--parameter", "length=5")
    after = ids(program)
    assert {name for name in before if before[name] != after[name]} == {"word"}
    changed = program.json("stack", "output", "show", stack, "word")["output_value"]
    assert len(changed) == 5 != len(word)


def test_an_update_adds_a_resource(program: OpenStackProgram, stack: str) -> None:
    before = ids(program)
    out = update(program, "more.yaml", "--existing", "--parameter", "note=n2")
    assert f"[{stack}.lock]: CREATE_COMPLETE  state changed" in out
    after = ids(program)
    assert after == {**before, "lock": "n2"}
    assert [each["Name"] for each in program.json("keypair", "list")] == ["n2"]


def test_an_update_removes_a_resource(program: OpenStackProgram, stack: str) -> None:
    before = ids(program)
    out = update(program, "stack.yaml", "--existing", "--parameter", "note=n2")
    assert f"[{stack}.lock]: DELETE_COMPLETE  state changed" in out
    assert ids(program) == {name: id for name, id in before.items() if name != "lock"}
    assert program.json("keypair", "list") == []


def test_delete_leaves_nothing(program: OpenStackProgram, stack: str) -> None:
    there = ids(program)
    ran = program.ok("stack", "delete", "--wait", "--yes", stack)
    assert f"[{stack}]: DELETE_IN_PROGRESS  Stack DELETE started" in ran.out
    assert program.run("stack", "show", stack).code == 1
    assert there["net"] not in {each["ID"] for each in program.json("network", "list")}
    deleted = program.json("stack", "list", "--deleted")
    assert {each["Stack Status"] for each in deleted if each["Stack Name"] == stack} == {
        "DELETE_COMPLETE"
    }


def test_resource_types_are_listed_and_shown(program: OpenStackProgram) -> None:
    listed = {
        each["Resource Type"] for each in program.json("orchestration", "resource", "type", "list")
    }
    assert {
        "OS::Heat::RandomString", "OS::Heat::Value", "OS::Heat::None", "OS::Heat::TestResource",
        "OS::Heat::Stack", "OS::Heat::ResourceGroup", "OS::Neutron::Net", "OS::Neutron::Subnet",
        "OS::Neutron::Port", "OS::Neutron::SecurityGroup", "OS::Nova::Server", "OS::Nova::KeyPair",
    } <= listed  # fmt: skip
    shown = yaml.safe_load(
        program.ok("orchestration", "resource", "type", "show", "OS::Neutron::Port").out
    )
    assert shown["resource_type"] == "OS::Neutron::Port"
    assert shown["properties"]["network"]["constraints"] == [
        {"custom_constraint": "neutron.network"}
    ]
    template = yaml.safe_load(
        program.ok(
            "orchestration", "resource", "type", "show", "--template-type", "hot",
            "OS::Neutron::Port",
        ).out
    )  # fmt: skip
    assert template["resources"]["Port"]["type"] == "OS::Neutron::Port"
    ran = program.run("orchestration", "resource", "type", "show", "OS::No::Such")
    assert ran.code == 1
    assert "OS::No::Such" in ran.err
