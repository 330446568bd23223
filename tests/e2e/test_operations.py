"""Operations that meet: updates and deletes over what is still going on, repeats, part updates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from tests.e2e.rest import Rest

HOT = "heat_template_version: 2018-08-31\n"
SLOW = f"""{HOT}
parameters:
  val: {{type: string, default: A}}
  secs: {{type: number, default: 2}}
resources:
  slow:
    type: OS::Heat::TestResource
    properties: {{value: {{get_param: val}}, action_wait_secs: {{create: {{get_param: secs}}}}}}
  late:
    type: OS::Heat::TestResource
    depends_on: slow
    properties: {{value: {{get_param: val}}}}
outputs:
  late: {{value: {{get_attr: [late, output]}}}}
  slow: {{value: {{get_attr: [slow, output]}}}}
"""


def test_an_update_over_a_running_create_reaches_the_new_goal(rest: Rest, name: str) -> None:
    stack = rest.create(name, SLOW)
    stack.wait_resource("slow", "CREATE_IN_PROGRESS")
    stack.updated(SLOW, parameters={"val": "B"})
    assert stack.outputs() == {"late": "B", "slow": "B"}
    told = stack.told()
    assert not [each for each in told if each.startswith(f"{name} CREATE_COMPLETE")]
    assert len([each for each in told if each.startswith("late CREATE_COMPLETE")]) == 1
    stack.deleted()


def test_a_delete_over_a_running_create_leaves_nothing(rest: Rest, name: str) -> None:
    stack = rest.create(name, SLOW)
    stack.wait_resource("slow", "CREATE_IN_PROGRESS")
    stack.deleted()
    told = stack.told()
    assert not [each for each in told if each.startswith("late ")]
    assert rest.call("GET", f"/stacks/{name}").status == 404


def test_a_delete_over_a_running_create_of_nested_stacks(rest: Rest, name: str) -> None:
    template = f"""{HOT}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties: {{count: 3, resource_def: {{type: child.yaml}}}}
"""
    stack = rest.create(name, template, files={"child.yaml": SLOW})
    stack.wait_resource("group", "CREATE_IN_PROGRESS")
    children = {
        each["links"][1]["href"].rsplit("/", 1)[1] for each in stack.resources(5)
    } - {stack.id}  # fmt: skip
    stack.deleted()
    left = rest.get("/stacks?show_nested=true")["stacks"]
    assert not {each["id"] for each in left} & children


def test_two_updates_at_once_end_as_the_one_accepted_last(rest: Rest, name: str) -> None:
    stack = rest.create(name, SLOW, parameters={"secs": 0})
    stack.wait("CREATE_COMPLETE")
    values = [f"v{i}" for i in range(8)]
    with ThreadPoolExecutor(len(values)) as pool:
        answers = list(pool.map(lambda each: stack.update(SLOW, parameters={"val": each}), values))
    assert {each.status for each in answers} <= {202, 409}
    shown = stack.wait("UPDATE_COMPLETE")
    wanted = shown["parameters"]["val"]
    assert wanted in values
    assert stack.outputs() == {"late": wanted, "slow": wanted}
    stack.deleted()


def test_two_deletes_at_once_are_one(rest: Rest, name: str) -> None:
    stack = rest.create(name, SLOW, parameters={"secs": 0})
    stack.wait("CREATE_COMPLETE")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: stack.delete().status, range(4)))
    assert set(answers) <= {204, 404}
    assert 204 in answers
    stack.wait("DELETE_COMPLETE")
    started = [each for each in stack.told() if each.startswith(f"{name} DELETE_IN_PROGRESS")]
    assert len(started) == 1


def test_many_creates_of_one_name_make_one_stack(rest: Rest, name: str) -> None:
    body = {"stack_name": name, "template": SLOW, "parameters": {"secs": 0}}
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: rest.call("POST", "/stacks", body), range(6)))
    assert sorted(each.status for each in answers) == [201] + [409] * 5
    assert {each.fault for each in answers if each.status == 409} == {"StackExists"}
    listed = rest.get(f"/stacks?name={name}")["stacks"]
    assert len(listed) == 1


def test_a_create_repeated_with_its_request_id_is_the_same_create(rest: Rest, name: str) -> None:
    headers = {"X-OpenStack-Request-ID": f"req-{uuid4()}"}
    body = {"stack_name": name, "template": SLOW, "parameters": {"secs": 0}}
    first = rest.call("POST", "/stacks", body, headers)
    again = rest.call("POST", "/stacks", body, headers)
    assert (first.status, again.status) == (201, 201)
    assert first.json == again.json
    other = rest.call("POST", "/stacks", body, {"X-OpenStack-Request-ID": f"req-{uuid4()}"})
    assert (other.status, other.fault) == (409, "StackExists")


def test_patch_keeps_what_is_not_given(rest: Rest, name: str) -> None:
    text = f"""{HOT}
parameters:
  a: {{type: string, default: da}}
  b: {{type: string, default: db}}
  c: {{type: string, default: dc}}
resources:
  v: {{type: My::T, properties: {{value: {{list_join: ['-', [{{get_param: a}}, {{get_param: b}},
    {{get_param: c}}]]}}}}}}
outputs: {{v: {{value: {{get_attr: [v, value]}}}}}}
"""
    registry = {"resource_registry": {"My::T": "OS::Heat::Value"}}
    stack = rest.create(
        name, text, parameters={"a": "1", "b": "2"}, environment=registry, tags="x,y"
    )
    stack.wait("CREATE_COMPLETE")
    assert stack.outputs()["v"] == "1-2-dc"
    stack.updated(method="PATCH", parameters={"c": "3"})
    assert stack.outputs()["v"] == "1-2-3"
    stack.updated(method="PATCH", clear_parameters=["a", "c"])
    assert stack.outputs()["v"] == "da-2-dc"
    shown = stack.show()
    assert shown["tags"] == ["x", "y"]
    assert shown["parameters"]["b"] == "2"
    stack.updated(method="PATCH", tags="z")
    assert stack.show()["tags"] == ["z"]
    stack.updated(text, environment=registry)
    assert stack.outputs()["v"] == "da-db-dc"
    assert stack.show()["tags"] == []
    stack.deleted()


def test_stacks_are_found_by_their_tags(rest: Rest, name: str) -> None:
    one = rest.create(f"{name}-1", SLOW, parameters={"secs": 0}, tags=f"{name},red")
    two = rest.create(f"{name}-2", SLOW, parameters={"secs": 0}, tags=f"{name},blue")

    def found(query: str) -> set[str]:
        return {each["id"] for each in rest.get(f"/stacks?{query}")["stacks"]}

    assert found(f"tags={name},red") == {one.id}
    assert found(f"tags_any=red,blue&tags={name}") == {one.id, two.id}
    assert found(f"tags={name}&not_tags=red") == {two.id}
    assert not found(f"not_tags_any={name}") & {one.id, two.id}
    for stack in (one, two):
        stack.wait("CREATE_COMPLETE")
        stack.deleted()


def test_an_update_that_changes_nothing_makes_no_call(rest: Rest, name: str) -> None:
    stack = rest.create(name, SLOW, parameters={"secs": 0})
    stack.wait("CREATE_COMPLETE")
    before, ids = len(stack.events()), stack.physical_ids()
    stack.updated(SLOW, parameters={"secs": 0})
    events = stack.events()[before:]
    assert {each["resource_name"] for each in events} == {name}
    assert stack.physical_ids() == ids
    stack.deleted()


def test_more_resources_than_the_engine_takes_at_once_are_made(rest: Rest, name: str) -> None:
    group = f"""{HOT}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {{count: 200, resource_def: {{type: OS::Heat::RandomString}}}}
outputs: {{values: {{value: {{get_attr: [g, value]}}}}}}
"""
    stack = rest.create(name, group)
    stack.wait("CREATE_COMPLETE", 60)
    assert len(set(stack.outputs()["values"])) == 200
    stack.deleted(60)
