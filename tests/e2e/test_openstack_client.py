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


def test_list_names_the_stack(program: OpenStackProgram, stack: str) -> None:
    listed = {each["Stack Name"]: each for each in program.json("stack", "list")}
    assert listed[stack].keys() == {
        "ID", "Stack Name", "Stack Status", "Creation Time", "Updated Time",
    }  # fmt: skip
    assert listed[stack]["Stack Status"] == "CREATE_COMPLETE"
    tagged = program.json("stack", "list", "--tags", "a,b", "--property", "status=COMPLETE")
    assert [each["Stack Name"] for each in tagged] == [stack]
    assert program.json("stack", "list", "--tags", "a,c") == []
    nested = program.json("stack", "list", "--nested")
    assert {each["Parent"] for each in nested} > {listed[stack]["ID"]}


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


def test_event_list_goes_down_into_nested_stacks(program: OpenStackProgram, stack: str) -> None:
    log = program.ok("stack", "event", "list", "--nested-depth", "5", stack).out
    line = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ [0-9a-f-]{36} \[(\S+)\]: (\S+)  (.+)"
    matches = [re.fullmatch(line, each) for each in log.strip().splitlines()]
    told = [each.groups() for each in matches if each is not None]
    assert len(told) == len(matches)
    assert told[0] == (stack, "CREATE_IN_PROGRESS", "Stack CREATE started")
    assert told[-1][1:] == ("CREATE_COMPLETE", "Stack CREATE completed successfully")
    assert (f"{stack}.pair.0.inner", "CREATE_COMPLETE", "state changed") in told
    events = program.json("stack", "event", "list", "--resource", "net", stack)
    assert [each["resource_status"] for each in events] == [
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
    ]
    shown = program.json("stack", "event", "show", stack, "net", events[1]["id"])
    assert shown["resource_properties"]["name"] == "n1"


def test_outputs_are_listed_and_shown(program: OpenStackProgram, stack: str) -> None:
    listed = program.json("stack", "output", "list", stack)
    assert {each["output_key"]: each["description"] for each in listed} == {
        "word": "The word",
        "notes": "No description given",
        "address": "No description given",
    }
    shown = program.json("stack", "output", "show", stack, "word")
    assert len(shown["output_value"]) == 12
    value = program.ok(
        "stack", "output", "show", stack, "notes", "-f", "value", "-c", "output_value"
    )
    assert value.out.strip() == "['n1', 'n1']"
    whole = program.json("stack", "output", "show", stack, "--all")
    assert whole.keys() == {"word", "notes", "address"}


def test_template_environment_and_files_come_back(program: OpenStackProgram, stack: str) -> None:
    template = yaml.safe_load(program.ok("stack", "template", "show", stack).out)
    sent = yaml.safe_load((FOLDER / "stack.yaml").read_text())
    assert template["resources"] == sent["resources"]
    assert str(template["heat_template_version"]) == "2018-08-31"
    environment = yaml.safe_load(program.ok("stack", "environment", "show", stack).out)
    assert environment["parameters"] == {"length": "12", "note": "n1", "key": "******"}
    assert environment["parameter_defaults"] == {"note": "from-env"}
    assert environment["resource_registry"]["My::Child"].endswith("/life/child.yaml")
    files = yaml.safe_load(program.ok("stack", "file", "list", stack).out)["files"]
    assert {Path(each).name for each in files} >= {"child.yaml"}


def test_failures_are_none_and_missing_things_are_told(
    program: OpenStackProgram, stack: str
) -> None:
    assert program.ok("stack", "failures", "list", stack).out == ""
    for arguments, text in (
        (("stack", "show", "no-such"), "Stack not found: no-such"),
        (("stack", "resource", "show", stack, "nix"), f"Stack or resource not found: {stack} nix"),
        (("stack", "output", "show", stack, "nix"), "nix not found"),
    ):
        ran = program.run(*arguments)
        assert ran.code == 1
        assert text in ran.err


def test_a_faulty_template_is_refused_with_its_place(program: OpenStackProgram) -> None:
    ran = program.run("stack", "create", "-t", "child.yaml", "client-faulty")
    assert ran.code == 1
    assert "The Parameter (note) was not provided" in ran.err
    assert "child.yaml:" in ran.err or "parameters.note" in ran.err
    ran = program.run("stack", "create", *GIVEN, "--parameter", "length=nine", "client-faulty")
    assert ran.code == 1
    assert "length" in ran.err
    assert program.run("stack", "show", "client-faulty").code == 1


def test_validate_describes_the_parameters(program: OpenStackProgram) -> None:
    found = yaml.safe_load(
        program.ok("orchestration", "template", "validate", *GIVEN, "--show-nested").out
    )
    assert found["Parameters"]["key"]["NoEcho"] == "true"
    assert found["Parameters"]["length"]["Type"] == "Number"


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


def test_template_versions_and_functions_are_listed(program: OpenStackProgram) -> None:
    versions = {
        each["Version"] for each in program.json("orchestration", "template", "version", "list")
    }
    assert {"heat_template_version.2021-04-16", "heat_template_version.2013-05-23"} <= versions
    functions = program.json(
        "orchestration", "template", "function", "list", "heat_template_version.2021-04-16"
    )
    assert {"get_attr", "str_replace", "repeat"} <= {each["Functions"] for each in functions}
    assert program.json("orchestration", "build", "info").keys() == {"api", "engine"}
