"""When one thing goes wrong: what else happens, and what is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.rest import Rest, Stack
    from tests.e2e.tenant import Tenant

HOT = "heat_template_version: 2018-08-31\n"
FAILING = """
  bad: {type: OS::Heat::TestResource, properties: {fail: true}}
  after: {type: OS::Heat::TestResource, depends_on: bad}
  last: {type: OS::Heat::Value, depends_on: after, properties: {value: x}}
  other: {type: OS::Heat::TestResource, properties: {wait_secs: 1}}
  third: {type: OS::Heat::RandomString, depends_on: other}
"""
CHILD = f"{HOT}resources:{FAILING}"


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("failures")


def failed(rest: Rest, name: str, template: str, **more: object) -> tuple[Stack, str]:
    """Create a stack that must fail and return it with the reason."""
    stack = rest.create(name, template, **more)
    return stack, stack.wait("CREATE_FAILED")["stack_status_reason"]


def test_a_failure_stops_what_depends_on_it_and_nothing_else(rest: Rest, name: str) -> None:
    stack, reason = failed(rest, name, CHILD)
    assert re.fullmatch(
        r"Resource CREATE failed: \w+: resources\.bad: Test Resource failed bad", reason
    )
    assert stack.statuses() == {
        "bad": "CREATE_FAILED",
        "after": "INIT_COMPLETE",
        "last": "INIT_COMPLETE",
        "other": "CREATE_COMPLETE",
        "third": "CREATE_COMPLETE",
    }
    bad = stack.resource("bad")
    assert re.fullmatch(
        r"\w+: resources\.bad: Test Resource failed bad", bad["resource_status_reason"]
    )
    untouched = {each["resource_name"] for each in stack.events()} & {"after", "last"}
    assert untouched == set()
    stack.deleted()


def test_the_first_cause_is_told_with_the_way_to_it(rest: Rest, name: str) -> None:
    template = f"""{HOT}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties: {{count: 1, resource_def: {{type: middle.yaml}}}}
"""
    middle = f"{HOT}resources: {{deep: {{type: child.yaml}}}}"
    files = {"middle.yaml": middle, "child.yaml": CHILD}
    stack, reason = failed(rest, name, template, files=files)
    way = r"resources\.group.*resources\.0.*resources\.deep.*resources\.bad"
    assert re.search(rf"{way}: Test Resource failed bad", reason)
    leaves = {each["resource_name"]: each["resource_status"] for each in stack.resources(5)}
    assert leaves["third"] == "CREATE_COMPLETE"
    assert leaves["after"] == "INIT_COMPLETE"
    stack.deleted()


def test_a_failed_create_is_finished_by_an_update(rest: Rest, name: str) -> None:
    stack, _ = failed(rest, name, CHILD)
    before = stack.physical_ids()
    stack.updated(CHILD.replace("fail: true", "fail: false"))
    assert set(stack.statuses().values()) <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
    after = stack.physical_ids()
    assert (before["other"], before["third"]) == (after["other"], after["third"])
    stack.deleted()


def test_what_only_the_cloud_can_refuse_is_told_in_its_words(tenant: Tenant, name: str) -> None:
    template = f"""{HOT}
resources:
  name: {{type: OS::Heat::Value, properties: {{value: no-such-image}}}}
  server:
    type: OS::Nova::Server
    properties:
      image: {{get_attr: [name, value]}}
      flavor: m1.tiny
      networks: [{{network: shared}}]
  word: {{type: OS::Heat::RandomString}}
"""
    stack, reason = failed(tenant.rest, name, template)
    assert re.search(r"resources\.server: .*no-such-image", reason)
    assert stack.statuses()["word"] == "CREATE_COMPLETE"
    stack.deleted()


def test_a_quota_is_named_and_what_fits_is_made(tenant: Tenant, name: str) -> None:
    tenant.admin.network.update_quota(tenant.project, networks=2)
    try:
        nets = "".join(f"  n{i}: {{type: OS::Neutron::Net}}\n" for i in range(4))
        stack, reason = failed(tenant.rest, name, f"{HOT}resources:\n{nets}")
        assert re.search(r"resources\.n\d: .*[Qq]uota.*network", reason)
        statuses = sorted(stack.statuses().values())
        assert statuses == ["CREATE_COMPLETE"] * 2 + ["CREATE_FAILED"] * 2
        stack.deleted()
        assert {kind for kind, _ in tenant.objects()} <= {
            "network.security_group",
            "network.security_group_rule",
        }
    finally:
        tenant.admin.network.delete_quota(tenant.project)


def test_a_failed_update_keeps_the_old_object_and_can_be_undone(rest: Rest, name: str) -> None:
    """Bug 23 of the public reports: back to the first values is back to the first object."""
    template = f"""{HOT}
parameters:
  val: {{type: string, default: A}}
  fail: {{type: boolean, default: false}}
resources:
  t:
    type: OS::Heat::TestResource
    properties:
      value: {{get_param: val}}
      update_replace: {{get_param: fail}}
      fail: {{get_param: fail}}
outputs: {{id: {{value: {{get_resource: t}}}}}}
"""
    stack = rest.create(name, template)
    stack.wait("CREATE_COMPLETE")
    first = stack.outputs()["id"]
    answer = stack.update(template, parameters={"val": "B", "fail": True})
    assert answer.status == 202
    stack.wait("UPDATE_FAILED")
    stack.updated(template)
    assert stack.outputs()["id"] == first
    assert [each["resource_name"] for each in stack.resources()] == ["t"]
    stack.deleted()


def test_an_object_that_fails_to_be_deleted_is_told_and_deleted_at_the_next_try(
    tenant: Tenant, name: str
) -> None:
    stack = tenant.rest.create(name, f"{HOT}resources: {{net: {{type: OS::Neutron::Net}}}}")
    stack.wait("CREATE_COMPLETE")
    network = stack.physical_ids()["net"]
    tenant.conn.network.create_subnet(network_id=network, cidr="10.3.0.0/24", ip_version=4)
    port = tenant.conn.network.create_port(network_id=network)
    assert stack.update(timeout_mins=1, method="PATCH").status == 202
    stack.wait("UPDATE_COMPLETE")
    assert stack.delete().status == 204
    stack.wait_resource("net", "DELETE_IN_PROGRESS")
    tenant.conn.network.delete_port(port)
    stack.wait("DELETE_COMPLETE")
    assert tenant.conn.network.find_network(network) is None


def test_a_closed_type_is_forbidden_also_where_there_is_none_of_it_yet(rest: Rest) -> None:
    def asked(type: str) -> tuple[int, str]:
        template = {"heat_template_version": "2018-08-31", "resources": {"a": {"type": type}}}
        answer = rest.call("POST", "/stacks", {"stack_name": "closed", "template": template})
        return answer.status, answer.message

    closed, unknown = asked("OS::Nova::HostAggregate"), asked("OS::Nova::Aggregate")
    text = "You are not authorized to use resource type OS::Nova::HostAggregate."
    assert closed == (403, text)
    assert unknown[0] == 400
    assert "Unknown resource Type : OS::Nova::Aggregate" in unknown[1]
