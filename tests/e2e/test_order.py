"""In which order a stack's resources come and go, as its events tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def at(events: list[Json], name: str, status: str) -> int:
    """Return the place of an event among the others; it must be there once."""
    (place,) = [
        index
        for index, each in enumerate(events)
        if (each["resource_name"], each["resource_status"]) == (name, status)
    ]
    return place


def test_what_needs_another_starts_when_that_is_done(rest: Rest, name: str) -> None:
    stack = rest.create(name, DIAMOND)
    stack.wait("CREATE_COMPLETE")
    events = stack.events()
    for early, late in (("root", "left"), ("root", "right"), ("left", "tip"), ("right", "tip")):
        done = at(events, early, "CREATE_COMPLETE")
        assert done < at(events, late, "CREATE_IN_PROGRESS"), (early, late)
    stack.deleted()
    events = stack.events()
    for early, late in (("tip", "left"), ("tip", "right"), ("left", "root"), ("right", "root")):
        gone = at(events, early, "DELETE_COMPLETE")
        assert gone < at(events, late, "DELETE_IN_PROGRESS"), (early, late)


def test_what_needs_nothing_of_each_other_goes_on_at_the_same_time(rest: Rest, name: str) -> None:
    stack = rest.create(name, DIAMOND)
    stack.wait("CREATE_COMPLETE")
    events = stack.events()
    begun = max(at(events, each, "CREATE_IN_PROGRESS") for each in ("left", "right"))
    ended = min(at(events, each, "CREATE_COMPLETE") for each in ("left", "right"))
    assert begun < ended
    stack.deleted()
