"""Public bug reports as small templates: what is right, on a served installation.

The number in a test's name is the template's; its header says what was wrong and what is right.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from tests.e2e.rest import Stack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.rest import Rest
    from tests.e2e.tenant import Tenant

SERVER = {"image": "ubuntu-24.04", "flavor": "m1.tiny"}


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("bugs")


@pytest.fixture
def rest(tenant: Tenant) -> Rest:
    return tenant.rest


@pytest.fixture
def bug(shared: Path, request: pytest.FixtureRequest) -> str:
    """Return the template whose number is in the test's name."""
    (number,) = re.findall(r"test_(\d\d)_", request.node.name)
    (file,) = [each for each in (shared / "bugs").glob(f"{number}-*") if "child" not in each.name]
    return file.read_text()


@pytest.fixture
def child(shared: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the files of the template whose number is in the test's name."""
    (number,) = re.findall(r"test_(\d\d)_", request.node.name)
    name = f"{number}-child.yaml"
    return {name: (shared / "bugs" / name).read_text()}


def created(rest: Rest, name: str, template: str, **more: Any) -> Stack:
    stack = rest.create(name, template, **more)
    stack.wait("CREATE_COMPLETE")
    return stack


def refused(rest: Rest, template: str, **more: Any) -> list[str]:
    """Return the texts of creating and validating what must be refused."""
    body = {"template": template, **more}
    answers = [
        rest.call("POST", "/stacks", {"stack_name": "refused", **body}),
        rest.call("POST", "/validate", body),
    ]
    assert [each.status for each in answers] == [400, 400], answers
    return [each.message for each in answers]


def test_02_a_null_branch_is_as_if_not_given(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert stack.outputs() == {"o": None}
    stack.deleted()


def test_04_a_json_default_that_is_no_json_names_the_parameter(rest: Rest, bug: str) -> None:
    assert all("cfg" in text for text in refused(rest, bug))


@pytest.mark.parametrize("wrong", ["[{get_resource: a}]", "7", "[[a]]"])
def test_05_a_wrong_depends_on_names_resource_and_field(rest: Rest, bug: str, wrong: str) -> None:
    text = bug.replace("depends_on: [{get_resource: a}]", f"depends_on: {wrong}")
    assert all("resources.b.depends_on" in each for each in refused(rest, text))


def test_07_a_later_zero_wins(rest: Rest, name: str, bug: str) -> None:
    files = {"e1": "{parameters: {n: 3, s: x}}", "e2": "{parameters: {n: 0, s: ''}}"}
    stack = created(rest, name, bug, files=files, environment_files=["e1", "e2"])
    assert stack.outputs() == {"n": 0, "s": ""}
    stack.deleted()


def test_08_the_longest_key_is_replaced_first(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert stack.outputs() == {"o": "one eleven", "swap": "b a"}
    stack.deleted()


def test_10_repeat_takes_scalars_and_unknown_lists(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert stack.outputs() == {"flags": [True, True], "pairs": ["a-1", "b-2"]}
    stack.deleted()


def test_11_renaming_to_itself_is_no_collision(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert stack.outputs() == {"noop": {"a": 1, "b": 2}}
    stack.deleted()


def signalled(stack: Stack, name: str, **details: Any) -> None:
    """Signal a resource, which must be taken."""
    answer = stack.rest.call("POST", f"{stack.path}/resources/{name}/signal", details)
    assert (answer.status, answer.text) == (200, "null"), answer


def test_13_a_value_keeps_what_it_was_made_with(rest: Rest, name: str, bug: str) -> None:
    stack = rest.create(name, bug)
    stack.wait_resource("c", "CREATE_IN_PROGRESS")
    signalled(stack, "h", id="a", data="early")
    stack.wait("CREATE_COMPLETE")
    signalled(stack, "h", id="z", data="late")
    given = {each: json.loads(value) for each, value in stack.outputs().items()}
    assert given == {"frozen": {"a": "early"}, "live": {"a": "early", "z": "late"}}
    stack.deleted()


def test_14_a_number_that_is_given_to_a_signal_is_no_id_of_another(
    rest: Rest, name: str, bug: str
) -> None:
    stack = rest.create(name, bug)
    stack.wait_resource("h", "CREATE_COMPLETE")
    signalled(stack, "h", id="1", status="SUCCESS")
    signalled(stack, "h")
    stack.wait("CREATE_COMPLETE")
    assert len(json.loads(stack.outputs()["data"])) == 2
    answer = rest.call("POST", f"{stack.path}/resources/c/signal", {})
    told = "signal is not supported for resource."
    assert (answer.status, answer.fault, answer.message) == (
        400,
        "ResourceActionNotSupported",
        told,
    )
    stack.deleted()


def test_16_a_group_of_none_is_a_group(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert stack.outputs() == {"refs": [], "values": []}
    stack.updated(bug, parameters={"n": 2})
    assert len(stack.outputs()["values"]) == 2
    stack.deleted()


def test_17_no_nested_stack_has_more_time_than_its_parent(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug, timeout_mins=5)
    nested = rest.get("/stacks?show_nested=true")["stacks"]
    below = [each for each in nested if each["stack_name"].startswith(f"{name}-outer")]
    assert len(below) == 2
    for each in below:
        shown = Stack(rest, each["stack_name"], each["id"]).show()
        assert shown["timeout_mins"] is None or 0 < shown["timeout_mins"] <= 5
    stack.deleted()


def test_19_a_preview_shows_the_members_of_a_group(rest: Rest, bug: str) -> None:
    answer = rest.call("POST", "/stacks/preview", {"stack_name": "shown", "template": bug})
    assert answer.status == 200, answer
    (group,) = answer.json["stack"]["resources"]
    members = {each["resource_name"]: each["properties"] for each in group}
    assert {name: each["salt"] for name, each in members.items()} == {"0": "0", "1": "1"}
    assert all(each["length"] == 5 for each in members.values())


def test_20_the_first_member_that_stays_is_validated(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    assert set(stack.outputs()["map"]) == {"1", "2"}
    stack.deleted()


def test_22_what_was_made_under_another_mapping_is_still_shown(
    rest: Rest, name: str, bug: str
) -> None:
    def environment(type: str) -> dict[str, Any]:
        return {"resource_registry": {"My::T": type}}

    stack = created(rest, name, bug, environment=environment("OS::Heat::RandomString"))
    value = stack.outputs()["v"]
    answer = stack.update(bug, environment=environment("OS::Heat::None"), parameters={"fail": True})
    assert answer.status == 202
    stack.wait("UPDATE_FAILED")
    assert stack.outputs()["v"] == value
    assert stack.resource("x")["attributes"]["value"] == value
    stack.deleted()


def test_23_the_original_is_taken_up_again(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    original = stack.outputs()["id"]
    answer = stack.update(bug, parameters={"val": "B", "fail": True})
    assert answer.status == 202
    stack.wait("UPDATE_FAILED")
    stack.updated(bug)
    assert stack.outputs()["id"] == original
    assert len(stack.resources()) == 1
    stack.deleted()


def test_25_a_circle_is_named(rest: Rest, bug: str) -> None:
    for text in refused(rest, bug):
        assert re.search(r"a -> b -> a|b -> a -> b", text)


def test_26_a_conditional_output_of_a_child(
    rest: Rest, name: str, bug: str, child: dict[str, str]
) -> None:
    stack = created(rest, name, bug, files=child)
    assert stack.outputs() == {"o": "yes"}
    stack.updated(bug, files=child, parameters={"flag": False})
    assert stack.outputs() == {"o": None}
    stack.deleted()


def test_31_none_ignores_its_properties(rest: Rest, name: str, bug: str) -> None:
    environment = {"resource_registry": {"My::Off": "OS::Heat::None"}}
    stack = created(rest, name, bug, environment=environment)
    stack.updated(bug, environment=environment, parameters={"drop": True})
    assert set(stack.statuses()) == {"n"}
    stack.deleted()


def test_34_an_empty_section_counts_as_absent(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug, environment="parameters:\nresource_registry:\n")
    assert stack.outputs() == {"o": "fine"}
    stack.deleted()


def test_35_a_childs_output_that_fails_is_told_in_the_childs_words(
    rest: Rest, name: str, bug: str, child: dict[str, str]
) -> None:
    stack = created(rest, name, bug, files=child)
    shown = {each["output_key"]: each for each in stack.show()["outputs"]}
    assert shown["good"]["output_value"] == 1
    assert shown["o"]["output_error"].startswith("Error in n output bad: ")
    stack.deleted()


def test_37_only_the_faulty_member_of_a_group_is_replaced(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    before, nested = stack.outputs()["v"], stack.outputs()["nested"]
    inner = rest.call("GET", f"/stacks/{nested}").headers["location"]
    answer = rest.call("PATCH", f"{inner}/resources/1", {"mark_unhealthy": True})
    assert answer.status == 200, answer
    stack.updated(bug)
    after = stack.outputs()["v"]
    assert [before[i] == after[i] for i in range(3)] == [True, False, True]
    assert not [each for each in stack.resources(2) if "COMPLETE" not in each["resource_status"]]
    stack.deleted()


def test_38_the_newest_goal_wins(rest: Rest, name: str, bug: str) -> None:
    stack = rest.create(name, bug.replace("wait_secs: 6", "wait_secs: 2"))
    stack.wait_resource("slow", "CREATE_IN_PROGRESS")
    stack.updated(bug.replace("wait_secs: 6", "wait_secs: 2"), parameters={"val": "B"})
    assert stack.outputs() == {"late": "B"}
    assert not [each for each in stack.told() if each.startswith("late DELETE")]
    stack.deleted()


def test_41_a_failed_update_keeps_the_order_of_deletion(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    answer = stack.update(bug, parameters={"val": "B", "fail": True})
    assert answer.status == 202
    stack.wait("UPDATE_FAILED")
    stack.deleted()
    told = [each.split(" state")[0] for each in stack.told()]
    last = max(i for i, each in enumerate(told) if each.startswith("dep DELETE_COMPLETE"))
    bases = [i for i, each in enumerate(told) if each.startswith("base DELETE_IN_PROGRESS")]
    assert len(bases) == 2
    assert last < min(bases)


def test_43_an_external_object_is_taken_in_and_its_id_stays(
    rest: Rest, name: str, bug: str
) -> None:
    stack = created(rest, name, bug)
    assert (stack.outputs(), stack.statuses()["x"]) == ({"refid": "e1"}, "CHECK_COMPLETE")
    answer = stack.update(bug, parameters={"eid": "e2"})
    assert answer.status == 400
    assert answer.message.startswith("resources.x.external_id: external_id cannot change")
    stack.updated(bug)
    assert stack.outputs() == {"refid": "e1"}
    stack.deleted()


def test_44_extra_properties_of_a_port_are_changed_in_place(
    tenant: Tenant, name: str, bug: str
) -> None:
    given = {**SERVER, "net": "shared"}
    stack = created(tenant.rest, name, bug, parameters=given)
    server = stack.physical_ids()["s"]
    (port,) = tenant.conn.network.ports(device_id=server)
    assert [each["ip_address"] for each in port.allowed_address_pairs] == ["10.9.9.9"]
    stack.updated(bug, parameters={**given, "vip": "10.9.9.8"})
    assert stack.physical_ids()["s"] == server
    (after,) = tenant.conn.network.ports(device_id=server)
    assert after.id == port.id
    assert [each["ip_address"] for each in after.allowed_address_pairs] == ["10.9.9.8"]
    stack.deleted()
    assert tenant.conn.network.find_port(port.id) is None


def test_47_two_devices_to_boot_from_are_refused(rest: Rest, bug: str) -> None:
    for text in refused(rest, bug, parameters=SERVER):
        assert "resources.s.properties.block_device_mapping_v2" in text
        assert "boot_index" in text


def test_49_spelling_out_the_subnet_changes_nothing(tenant: Tenant, name: str, bug: str) -> None:
    stack = created(tenant.rest, name, bug, parameters=SERVER)
    server, addresses = stack.physical_ids()["s"], stack.outputs()["addr"]
    stack.updated(bug, parameters={**SERVER, "refine": True})
    assert stack.physical_ids()["s"] == server
    assert stack.outputs()["addr"] == addresses
    stack.deleted()


def test_53_an_empty_zone_is_none(tenant: Tenant, name: str, bug: str) -> None:
    stack = created(tenant.rest, name, bug)
    volume = tenant.conn.block_storage.get_volume(stack.physical_ids()["v"])
    assert volume.availability_zone == "nova"
    stack.deleted()


def test_55_an_update_by_another_user_reaches_nested_stacks(
    tenant: Tenant, clouds_yaml: Path, tmp_path: Path, name: str, bug: str
) -> None:
    stack = created(tenant.rest, name, bug)
    other = tenant.colleague(f"other-{uuid4().hex}", clouds_yaml, tmp_path)
    Stack(other, stack.name, stack.id).updated(bug, parameters={"n": 2})
    assert len([e for e in stack.resources(2) if e["resource_type"] == "OS::Neutron::Net"]) == 2
    stack.deleted()


def test_56_a_full_quota_waits_for_the_clean_up(tenant: Tenant, name: str, bug: str) -> None:
    stack = created(tenant.rest, name, bug)
    there = len(list(tenant.conn.network.networks(project_id=tenant.project)))
    tenant.admin.network.update_quota(tenant.project, networks=there)
    try:
        stack.updated(bug, parameters={"which": "b"})
        assert set(stack.statuses()) == {"b"}
    finally:
        tenant.admin.network.delete_quota(tenant.project)
    stack.deleted()


def test_67_a_rollback_keeps_its_cause(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    answer = stack.update(bug, parameters={"fail": True}, disable_rollback=False)
    assert answer.status == 202
    while (shown := stack.show())["stack_status"] in ("UPDATE_IN_PROGRESS", "UPDATE_FAILED"):
        assert "UPDATE" in shown["stack_status"]
        time.sleep(0.05)
    reason = stack.wait("ROLLBACK_COMPLETE")["stack_status_reason"]
    assert "resources.t: Test Resource failed t" in reason
    stack.deleted()


def test_68_a_renamed_resource_is_another_one(rest: Rest, name: str, bug: str) -> None:
    stack = created(rest, name, bug)
    value = stack.outputs()["v"]
    stack.updated(bug.replace("old", "new"))
    assert stack.outputs()["v"] != value
    assert set(stack.statuses()) == {"new"}
    stack.deleted()


def test_28_a_limit_of_software_configs_that_is_no_number_is_told(rest: Rest) -> None:
    for wrong in ("abc", "-1"):
        answer = rest.call("GET", f"/software_configs?limit={wrong}")
        assert answer.status == 400
        assert "limit" in answer.message
    for right in (0, 1):
        assert len(rest.get(f"/software_configs?limit={right}")["software_configs"]) <= right


def test_40_a_deployment_of_a_config_that_is_not_there_is_no_fault_of_ours(rest: Rest) -> None:
    wanted = {
        "config_id": str(uuid4()),
        "server_id": "x",
        "action": "CREATE",
        "status": "COMPLETE",
        "stack_user_project_id": "p",
    }
    assert rest.call("POST", "/software_deployments", wanted).status == 404
    too_long = {**wanted, "stack_user_project_id": "p" * 70}
    answer = rest.call("POST", "/software_deployments", too_long)
    assert answer.status == 400
    assert "stack_user_project_id" in answer.message
