"""Groups that are made and change in batches, seen from outside: the events of their members."""

from __future__ import annotations

import time

from tests.e2e.rest import Rest, Stack

BATCH, LEAST, COUNT = 2, 3, 5
PAUSE = 0.5


def template(value: str, *, fail: bool = False, policy: str = "") -> str:
    wanted = policy or f"{{max_batch_size: {BATCH}, min_in_service: {LEAST}, pause_time: {PAUSE}}}"
    return f"""
heat_template_version: 2021-04-16
resources:
  group:
    type: OS::Heat::ResourceGroup
    update_policy:
      batch_create: {{max_batch_size: {BATCH}}}
      rolling_update: {wanted}
    properties:
      count: {COUNT}
      resource_def:
        type: OS::Heat::TestResource
        properties: {{value: {value}-%index%, wait_secs: 0.05, fail: {str(fail).lower()}}}
outputs:
  values: {{value: {{get_attr: [group, output]}}}}
"""


class Watched:
    """What the events of a group's members tell, oldest first."""

    def __init__(self, stack: Stack) -> None:
        self.events = [each for each in stack.events(1) if each["resource_name"].isdigit()]

    def batches(self, action: str) -> list[set[str]]:
        """Return the members that were at the action at the same time."""
        found: list[set[str]] = []
        under_way: set[str] = set()
        for each in self.events:
            name, status = each["resource_name"], each["resource_status"]
            if status == f"{action}_IN_PROGRESS":
                if not under_way:
                    found.append(set())
                found[-1].add(name)
                under_way.add(name)
            elif status.startswith(action):
                under_way.discard(name)
        return found


def test_members_are_made_and_changed_in_batches(rest: Rest, name: str) -> None:
    stack = rest.create(name, template("a"))
    stack.wait("CREATE_COMPLETE")
    assert Watched(stack).batches("CREATE") == [{"0", "1"}, {"2", "3"}, {"4"}]
    began = time.monotonic()
    stack.updated(template("b"))
    assert time.monotonic() - began >= 2 * PAUSE
    assert stack.outputs()["values"] == [f"b-{n}" for n in range(COUNT)]
    assert Watched(stack).batches("UPDATE") == [{"3", "4"}, {"1", "2"}, {"0"}]
    stack.deleted()


def test_a_group_grows_for_a_while_where_members_must_be_in_service(rest: Rest, name: str) -> None:
    policy = f"{{max_batch_size: 2, min_in_service: {COUNT}}}"
    stack = rest.create(name, template("a", policy=policy))
    stack.wait("CREATE_COMPLETE")
    stack.updated(template("b", policy=policy))
    watched = Watched(stack)
    assert watched.batches("CREATE")[3:] == [{"5", "6"}]
    assert watched.batches("UPDATE") == [{"3", "4"}, {"1", "2"}, {"0"}]
    assert set().union(*watched.batches("DELETE")) == {"5", "6"}
    assert stack.outputs()["values"] == [f"b-{n}" for n in range(COUNT)]
    stack.deleted()


def test_a_batch_that_fails_leaves_the_others_alone_and_a_rollback_mends_it(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, template("a"))
    stack.wait("CREATE_COMPLETE")
    assert stack.update(template("b", fail=True)).status == 202
    stack.wait("UPDATE_FAILED")
    touched = set().union(*Watched(stack).batches("UPDATE"))
    assert touched == {"3", "4"}
    stack.updated(template("c"))
    assert stack.outputs()["values"] == [f"c-{n}" for n in range(COUNT)]
    assert stack.update(template("d", fail=True), disable_rollback=False).status == 202
    stack.rolled_back()
    assert stack.outputs()["values"] == [f"c-{n}" for n in range(COUNT)]
    stack.deleted()


def test_a_policy_that_is_wrong_is_refused_with_its_place(rest: Rest, name: str) -> None:
    body = {"stack_name": name, "template": template("a", policy="{max_batch_sise: 1}")}
    answer = rest.call("POST", "/stacks", body)
    assert answer.status == 400
    assert answer.message == (
        "Property error: : resources.group.update_policy.rolling_update.max_batch_sise: :"
        " Unknown Property max_batch_sise; there are: max_batch_size, min_in_service, pause_time"
        " (template:8:24)"
    )


def test_pauses_longer_than_the_stack_may_take_are_refused(rest: Rest, name: str) -> None:
    policy = "{max_batch_size: 1, pause_time: 60}"
    stack = rest.create(name, template("a", policy=policy), timeout_mins=4)
    stack.wait("CREATE_COMPLETE")
    assert stack.update(template("b", policy=policy), timeout_mins=4).status == 202
    found = stack.wait("UPDATE_FAILED")
    assert "update policy will result in stack update timeout" in found["stack_status_reason"]
    stack.deleted()
