"""In which order a stack's resources come and go, as its events tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e import order

if TYPE_CHECKING:
    from tests.e2e.rest import Json, Rest

DIAMOND = """
heat_template_version: 2018-08-31
resources:
  root: {type: OS::Heat::RandomString}
  left:
    type: OS::Heat::TestResource
    properties: {value: {get_attr: [root, value]}, wait_secs: 1}
  right:
    type: OS::Heat::TestResource
    depends_on: root
    properties: {wait_secs: 1}
  tip:
    type: OS::Heat::Value
    depends_on: [right]
    properties: {value: {get_attr: [left, output]}}
"""


NEEDS = frozenset({("root", "left"), ("root", "right"), ("left", "tip"), ("right", "tip")})


def test_what_needs_another_starts_when_that_is_done(rest: Rest, name: str) -> None:
    stack = rest.create(name, DIAMOND)
    stack.wait("CREATE_COMPLETE")
    assert order.edges(stack.resources()) == NEEDS
    order.assert_ordered(stack.events(), NEEDS)
    stack.deleted()
    order.assert_ordered(stack.events(), NEEDS, "DELETE")


def test_what_needs_nothing_of_each_other_goes_on_at_the_same_time(rest: Rest, name: str) -> None:
    stack = rest.create(name, DIAMOND)
    stack.wait("CREATE_COMPLETE")
    order.assert_together(stack.events(), ("left", "right"))
    stack.deleted()


def event(text: str) -> Json:
    name, status = text.split()
    return {"resource_name": name, "resource_status": f"CREATE_{status}"}


def test_a_wrong_order_is_noticed() -> None:
    early = list(map(event, ("b IN_PROGRESS", "a IN_PROGRESS", "a COMPLETE", "b COMPLETE")))
    with pytest.raises(AssertionError, match="b began before a was done"):
        order.assert_ordered(early, frozenset({("a", "b")}))
    order.assert_together(early, ("a", "b"))
    late = list(map(event, ("a IN_PROGRESS", "a COMPLETE", "b IN_PROGRESS", "b COMPLETE")))
    with pytest.raises(AssertionError, match="did not begin together"):
        order.assert_together(late, ("a", "b"))
    order.assert_ordered(late, frozenset({("a", "b")}))
    with pytest.raises(AssertionError, match="c CREATE_COMPLETE: 0 times"):
        order.assert_ordered(late, frozenset({("c", "b")}))
