"""Previews against what is then done, cancels and the list of engines, as clients see them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from tests.e2e.openstack_program import OpenStackProgram
from tests.e2e.rest import LOOK_SECONDS, SECONDS, Json, Rest, Stack
from tests.e2e.tenant import Tenant

SECRET = "pw-nobody-may-see"
CHILD = """
heat_template_version: '2021-04-16'
parameters:
  note: {type: string}
  secs: {type: number, default: 0}
resources:
  inner:
    type: OS::Heat::TestResource
    properties: {value: {get_param: note}, action_wait_secs: {create: {get_param: secs}}}
"""
TEMPLATE = """
heat_template_version: '2021-04-16'
description: What is previewed
parameters:
  note: {type: string, default: hello}
  length: {type: number, default: 12}
  count: {type: number, default: 2}
  secret: {type: string, hidden: true}
resources:
  word: {type: OS::Heat::RandomString, properties: {length: {get_param: length}}}
  hangs: {type: OS::Heat::Value, properties: {value: {get_attr: [word, value]}}}
  kept: {type: OS::Heat::Value, properties: {value: [same, {get_param: secret}]}}
  noted:
    type: OS::Heat::TestResource
    metadata: {about: [{get_param: note}, {get_param: secret}]}
    properties: {value: {get_param: note}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def: {type: child.yaml, properties: {note: {get_param: note}}}
  net: {type: OS::Neutron::Net, properties: {name: {get_param: note}}}
outputs:
  word: {description: The word, value: {get_attr: [word, value]}}
  note: {value: {get_param: note}}
"""
PLAIN: Json = {"files": {"child.yaml": CHILD}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the templates as files."""
    folder = tmp_path_factory.mktemp("previews")
    (folder / "stack.yaml").write_text(TEMPLATE)
    (folder / "child.yaml").write_text(CHILD)
    return folder


@pytest.fixture(scope="module")
def program(clouds_yaml: Path, folder: Path) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, folder)) as found:
        yield found


@pytest.fixture
def stack(rest: Rest, name: str) -> Iterator[Stack]:
    """Return a complete stack."""
    given = {"secret": SECRET}
    stack = rest.create(name, TEMPLATE, parameters=given, **PLAIN)
    stack.wait("CREATE_COMPLETE")
    yield stack
    stack.deleted()


def changes(stack: Stack, query: str = "", **body: object) -> dict[str, dict[str, Json]]:
    """Preview a PATCH; return the resources by what becomes of them and by their path."""
    answer = stack.rest.call("PATCH", f"{stack.path}/preview{query}", body)
    assert answer.status == 200, answer
    assert SECRET not in answer.text
    return {
        fate: {_path(stack, each): each for each in rows}
        for fate, rows in answer.json["resource_changes"].items()
    }


def _path(stack: Stack, resource: Json) -> str:
    nested = resource["stack_name"].removeprefix(stack.name)
    depth = nested.count("-") and f"{resource['parent_resource']}."
    return f"{depth or ''}{resource['resource_name']}"


def names(found: dict[str, dict[str, Json]]) -> dict[str, set[str]]:
    return {fate: set(rows) for fate, rows in found.items()}


def recorded(stack: Stack) -> list[Json]:
    return [stack.show(), *stack.resources(5), *stack.events(5)]


# creates


def test_a_dry_run_of_a_create_shows_all_and_makes_nothing(
    program: OpenStackProgram, rest: Rest, name: str
) -> None:
    given = ("--parameter", f"secret={SECRET}", "--tags", "a,b")
    ran = program.ok("stack", "create", "--dry-run", "-t", "stack.yaml", *given, "-f", "json", name)
    assert SECRET not in ran.out
    shown = ran.json
    assert (shown["id"], shown["stack_name"], shown["tags"]) == ("None", name, ["a", "b"])
    assert (shown["parameters"]["secret"], shown["parameters"]["length"]) == ("******", "12")
    assert [(each["output_key"], each["output_value"]) for each in shown["outputs"]] == [
        ("word", None),
        ("note", "hello"),
    ]
    word, hangs, kept, noted, group, net = shown["resources"]
    assert word["properties"]["length"] == 12
    assert word["required_by"] == ["hangs"]
    assert hangs["properties"]["value"] is None
    assert kept["properties"]["value"] == ["same", "******"]
    assert noted["metadata"] == {"about": ["hello", "******"]}
    assert (net["resource_action"], net["physical_resource_id"]) == ("INIT", "")
    members = [inner for (inner,) in group]
    assert [(each["parent_resource"], each["stack_name"]) for each in members] == [
        ("0", f"{name}-group-0"),
        ("1", f"{name}-group-1"),
    ]
    assert {each["properties"]["value"] for each in members} == {"hello"}
    assert rest.call("GET", f"/stacks/{name}").status == 404


def test_a_preview_is_refused_where_the_create_would_be(stack: Stack) -> None:
    body = {"stack_name": stack.name, "template": TEMPLATE, **PLAIN}
    answer = stack.rest.call("POST", "/stacks/preview", body)
    assert (answer.status, answer.fault) == (400, "UserParameterMissing")
    answer = stack.rest.call("POST", "/stacks/preview", {**body, "parameters": {"secret": SECRET}})
    assert answer.status == 409
    assert answer.message == f"The Stack ({stack.name}) already exists."


# updates


def test_an_update_does_what_its_preview_showed(stack: Stack) -> None:
    template = yaml.safe_load(TEMPLATE)
    resources = template["resources"]
    resources["moved"] = resources.pop("kept")
    resources["net"] = {"type": "OS::Heat::None"}
    parameters = {"note": "new", "length": 5, "count": 3}
    body: Json = {"template": template, "parameters": parameters, **PLAIN}
    before = recorded(stack)
    found = changes(stack, "?show_nested=True", **body)
    assert recorded(stack) == before
    assert names(found) == {
        "unchanged": set(),
        "updated": {"hangs", "noted", "group", "group.0", "group.1", "0.inner", "1.inner"},
        "replaced": {"word", "net"},
        "added": {"moved", "group.2", "2.inner"},
        "deleted": {"kept"},
    }
    told = {path: each["change"] for rows in found.values() for path, each in rows.items()}
    assert told["hangs"]["fate"] == "open"
    assert told["word"] == {"fate": "replaced", "reason": "length cannot be changed in place"}
    assert told["noted"] == {"fate": "updated", "reason": "changed: value"}
    ids = stack.physical_ids()
    stack.updated(method="PATCH", **body)
    after = stack.physical_ids()
    assert {each for each in after if each not in ids} == {"moved"}
    assert {each for each in ids if each not in after} == {"kept"}
    changed = {each for each in ids if each in after and ids[each] != after[each]}
    assert changed == {"word", "net"}


def test_an_update_that_changes_nothing_is_shown_to_change_nothing(
    program: OpenStackProgram, stack: Stack
) -> None:
    found = changes(stack, "?show_nested=True")
    assert names(found) == {
        "unchanged": {"word", "hangs", "kept", "noted", "net", "0.inner", "1.inner"},
        "updated": {"group", "group.0", "group.1"},
        "replaced": set(),
        "added": set(),
        "deleted": set(),
    }
    word = found["unchanged"]["word"]
    assert word["physical_resource_id"] == stack.physical_ids()["word"]
    assert word["resource_identity"] == {
        "tenant": stack.rest.project,
        "stack_name": stack.name,
        "stack_id": stack.id,
        "path": "/resources/word",
    }
    assert (
        found["updated"]["group"]["nested_stack_id"]["stack_id"] == (stack.physical_ids()["group"])
    )
    dry = ("stack", "update", "--dry-run", "--existing", "-t", "stack.yaml")
    shown = program.json(*dry, "--parameter", "note=new", stack.name)
    assert [each["resource_name"] for each in shown["updated"]] == ["noted", "group", "net"]
    nested = program.json(*dry, "--show-nested", "--parameter", "count=1", stack.name)
    # The client calls the child by its whole path: another template file for a stack that stays.
    assert [each["resource_name"] for each in nested["replaced"]] == []
    assert [each["resource_name"] for each in nested["deleted"]] == ["1", "inner"]
    assert [each["resource_name"] for each in nested["added"]] == []
    assert stack.show()["stack_status"] == "CREATE_COMPLETE"


def test_metadata_alone_is_an_update(stack: Stack) -> None:
    found = changes(stack, template=TEMPLATE.replace("metadata: {about", "metadata: {topic"))
    assert list(found["updated"]) == ["noted", "group"]
    assert found["updated"]["noted"]["change"]["reason"] == "changed: metadata"


def test_an_update_by_an_old_preview_is_refused(stack: Stack) -> None:
    body = {"parameters": {"note": "by-preview"}}
    previewed = stack.rest.call("PATCH", f"{stack.path}/preview", body)
    version = {"If-Match": previewed.headers["etag"]}
    again = stack.rest.call("PATCH", f"{stack.path}/preview", body)
    assert again.headers["etag"] == previewed.headers["etag"]
    assert stack.rest.call("PATCH", stack.path, body, version).status == 202
    stack.wait("UPDATE_COMPLETE")
    late = stack.rest.call("PATCH", stack.path, {"parameters": {"note": "late"}}, version)
    assert late.status == 409
    assert "changed since the preview" in late.message
    assert stack.outputs()["note"] == "by-preview"


def test_a_preview_over_a_running_update_leaves_open_what_is_worked_on(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, CHILD, parameters={"note": "a", "secs": 60})
    stack.wait_resource("inner", "CREATE_IN_PROGRESS")
    found = changes(stack, parameters={"note": "b"})
    assert found["updated"]["inner"]["change"]["fate"] == "open"
    stack.deleted()


def test_another_project_neither_previews_nor_changes_a_stack(
    stack: Stack, tenants: Callable[[str], Tenant]
) -> None:
    other = tenants("preview-stranger").rest
    before = recorded(stack)
    for verb, path, body in (
        ("PATCH", "/preview", {"parameters": {"note": "mine"}}),
        ("PATCH", "", {"parameters": {"note": "mine"}}),
        ("PUT", "", {"template": CHILD, "parameters": {"note": "mine"}}),
        ("POST", "/actions", {"cancel_without_rollback": None}),
        ("DELETE", "", None),
    ):
        answer = other.call(verb, f"{stack.path}{path}", body)
        assert answer.status == 404, (verb, path, answer)
    assert recorded(stack) == before


# cancels


def test_a_cancel_ends_a_create_and_its_children_and_an_update_goes_on_from_there(
    program: OpenStackProgram, rest: Rest, name: str
) -> None:
    template = yaml.safe_load(TEMPLATE)
    wanted = template["resources"]["group"]["properties"]["resource_def"]["properties"]
    wanted["secs"] = 60
    given = {"secret": SECRET, "count": 1}
    stack = rest.create(name, template, parameters=given, **PLAIN)
    _wait_nested(stack, "inner", "CREATE_IN_PROGRESS")
    program.ok("stack", "cancel", "--no-rollback", name)
    shown = stack.wait("CREATE_FAILED")
    assert shown["stack_status_reason"] == "Stack CREATE cancelled"
    nested = rest.get("/stacks?show_nested=true")["stacks"]
    mine = {
        each["stack_status"] for each in nested if each["stack_name"].startswith(f"{name}-group")
    }
    assert mine == {"CREATE_FAILED"}
    assert stack.statuses()["group"] == "CREATE_FAILED"
    wanted["secs"] = 0
    stack.updated(template, parameters=given, **PLAIN)
    assert set(stack.statuses().values()) <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
    stack.deleted()


def test_a_cancel_of_an_update_keeps_what_is_done(rest: Rest, name: str) -> None:
    template = yaml.safe_load(CHILD)
    stack = rest.create(name, template, parameters={"note": "a"})
    stack.wait("CREATE_COMPLETE")
    template["resources"]["quick"] = {"type": "OS::Heat::Value", "properties": {"value": 1}}
    template["resources"]["slow"] = {
        "type": "OS::Heat::TestResource",
        "depends_on": "quick",
        "properties": {"action_wait_secs": {"create": 60}},
    }
    assert stack.update(template, parameters={"note": "a"}).status == 202
    stack.wait_resource("slow", "CREATE_IN_PROGRESS")
    action = {"cancel_without_rollback": None}
    answer = rest.call("POST", f"{stack.path}/actions", action)
    assert (answer.status, answer.text) == (200, "null")
    assert stack.wait("UPDATE_FAILED")["stack_status_reason"] == "Stack UPDATE cancelled"
    assert stack.statuses() == {
        "inner": "CREATE_COMPLETE",
        "quick": "CREATE_COMPLETE",
        "slow": "CREATE_FAILED",
    }
    again = rest.call("POST", f"{stack.path}/actions", action)
    assert (again.status, again.fault) == (400, "NotSupported")
    assert again.message == "Cancelling update when stack is UPDATE_FAILED is not supported."
    stack.deleted()


def _wait_nested(stack: Stack, name: str, status: str) -> None:
    """Return once a resource somewhere below the stack is in ``status``."""
    until = time.monotonic() + SECONDS
    while (name, status) not in {
        (each["resource_name"], each["resource_status"]) for each in stack.resources(5)
    }:
        assert time.monotonic() < until, stack.told()
        time.sleep(LOOK_SECONDS)


# engines


def test_an_administrator_lists_the_engines(program: OpenStackProgram, rest: Rest) -> None:
    (engine,) = program.json("--os-cloud", "admin", "orchestration", "service", "list")
    assert (engine["Binary"], engine["Topic"], engine["Status"]) == (
        "stoker-engine",
        "engine",
        "up",
    )
    refused = rest.call("GET", "/services")
    assert refused.status == 403
    assert refused.message == "You are not authorized to use service:index."
