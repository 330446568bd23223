"""Groups in batches whose members get another template: they keep the old one until their turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.app.serving import eventually
from tests.e2e.test_rolling import Watched
from tests.e2e.test_snapshots import restored, snapshot

if TYPE_CHECKING:
    from tests.e2e.rest import Json, Rest, Stack

COUNT = 3
VALUE = "OS::Heat::Value"
HOT = "heat_template_version: 2018-08-31\n"
INNER = f"{HOT}resources: {{leaf: {{type: OS::Heat::TestResource}}}}\n"


def member(
    value: str, *, needs: str = "", inner: str = "", fail: bool = False, seconds: float = 0.05
) -> str:
    """Return a member's template: what it gives is ``value``; ``needs`` is a parameter that has
    to be given, ``inner`` the type of a nested stack, ``seconds`` what it takes."""
    parameters = f"parameters: {{{needs}: {{type: string}}}}\n" if needs else ""
    nested = f"  inner: {{type: '{inner}'}}\n" if inner else ""
    properties = f"{{value: {value}, wait_secs: {seconds}, fail: {str(fail).lower()}}}"
    return (
        f"{HOT}{parameters}resources:\n{nested}"
        f"  thing: {{type: OS::Heat::TestResource, properties: {properties}}}\n"
        "outputs: {value: {value: {get_attr: [thing, output]}}}\n"
    )


def group(type: str, *policies: str, **properties: str) -> dict[str, Any]:
    wanted = {"type": type, **({"properties": properties} if properties else {})}
    resource = {
        "type": "OS::Heat::ResourceGroup",
        "update_policy": {each: {"max_batch_size": 1} for each in ("rolling_update", *policies)},
        "properties": {"count": COUNT, "resource_def": wanted},
    }
    return {
        "heat_template_version": "2018-08-31",
        "resources": {"group": resource},
        "outputs": {"values": {"value": {"get_attr": ["group", "value"]}}},
    }


def changed(stack: Stack) -> list[set[str]]:
    """Return the members that changed at the same time, batch by batch."""
    return Watched(stack).batches("UPDATE")


def mapped(**types: str) -> Json:
    return {"resource_registry": {f"My::{name}": file for name, file in types.items()}}


Given = tuple[str, dict[str, str], dict[str, Any]]
"""The type of the members, the files and the environment of a request."""

BEFORE: Given = ("old.yaml", {"old.yaml": member("old")}, {})
CASES: dict[str, tuple[Given, Given]] = {
    "a file of another name": (BEFORE, ("new.yaml", {"new.yaml": member("new")}, {})),
    "a file that the old one uses is gone, too": (
        ("old.yaml", {"old.yaml": member("old", inner="a.yaml"), "a.yaml": INNER}, {}),
        ("new.yaml", {"new.yaml": member("new", inner="b.yaml"), "b.yaml": INNER}, {}),
    ),
    "a type that is mapped no more": (
        ("My::Old", {"old.yaml": member("old")}, mapped(Old="old.yaml")),
        ("My::New", {"new.yaml": member("new")}, mapped(New="new.yaml")),
    ),
    "a type that a wildcard mapped": (
        ("My::Old", {"old.yaml": member("old")}, mapped(**{"O*": "old.yaml"})),
        ("My::New", {"new.yaml": member("new")}, mapped(**{"N*": "new.yaml"})),
    ),
    "a type of the engine for a template": (BEFORE, (VALUE, {}, {})),
    "a template for what was mapped to a type of the engine": (
        ("My::Old", {}, mapped(Old=VALUE)),
        ("new.yaml", {"new.yaml": member("new")}, {}),
    ),
    "a type that stands for another under its name": (
        ("My::One", {}, mapped(One=VALUE)),
        ("My::One", {"new.yaml": member("new")}, mapped(One="new.yaml")),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_members_keep_what_their_type_stood_for_until_their_turn(
    rest: Rest, name: str, case: str
) -> None:
    (old, files, environment), (new, new_files, new_environment) = CASES[case]
    of_old = {} if files else {"value": "old"}
    stack = rest.create(name, group(old, **of_old), files=files, environment=environment)
    stack.wait("CREATE_COMPLETE")
    of_new = {} if new_files else {"value": "new"}
    stack.updated(group(new, **of_new), files=new_files, environment=new_environment)
    assert stack.outputs()["values"] == ["new"] * COUNT
    stack.deleted()


def test_a_member_is_not_asked_for_what_only_its_next_template_needs(rest: Rest, name: str) -> None:
    stack = rest.create(name, group("m.yaml"), files={"m.yaml": member("old")})
    stack.wait("CREATE_COMPLETE")
    stack.updated(group("m.yaml", note="x"), files={"m.yaml": member("new", needs="note")})
    assert stack.outputs()["values"] == ["new"] * COUNT
    assert changed(stack) == [{"2"}, {"1"}, {"0", "1", "2"}]
    stack.updated(group("m.yaml"), files={"m.yaml": member("old")})
    assert stack.outputs()["values"] == ["old"] * COUNT
    stack.deleted()


def test_a_batch_that_fails_goes_back_to_the_old_file(rest: Rest, name: str) -> None:
    stack = rest.create(name, group("old.yaml"), files={"old.yaml": member("old")})
    stack.wait("CREATE_COMPLETE")
    bad = {"bad.yaml": member("bad", fail=True)}
    answer = stack.update(group("bad.yaml"), files=bad, disable_rollback=False)
    assert answer.status == 202
    stack.rolled_back()
    assert stack.outputs()["values"] == ["old"] * COUNT
    assert stack.update(group("bad.yaml"), files=bad).status == 202
    stack.wait("UPDATE_FAILED")
    assert stack.outputs()["values"][:2] == ["old"] * 2
    stack.updated(group("new.yaml"), files={"new.yaml": member("new")})
    assert stack.outputs()["values"] == ["new"] * COUNT
    stack.deleted()


def test_an_update_that_takes_over_from_the_creation_has_not_its_file(
    rest: Rest, name: str
) -> None:
    slow = {"slow.yaml": member("slow", seconds=0.6)}
    stack = rest.create(name, group("slow.yaml", "batch_create"), files=slow)
    eventually(lambda: any(each["resource_name"] == "1" for each in stack.resources(1)))
    stack.updated(group("new.yaml", "batch_create"), files={"new.yaml": member("new")})
    assert stack.outputs()["values"] == ["new"] * COUNT
    stack.deleted()


def test_an_update_that_takes_over_in_the_midst_has_neither_of_the_files_before(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, group("old.yaml"), files={"old.yaml": member("old")})
    stack.wait("CREATE_COMPLETE")
    slow = {"slow.yaml": member("slow", seconds=0.6)}
    assert stack.update(group("slow.yaml"), files=slow).status == 202
    eventually(lambda: "slow" in stack.outputs()["values"])
    stack.updated(group("new.yaml"), files={"new.yaml": member("new")})
    assert stack.outputs()["values"] == ["new"] * COUNT
    assert not any("0" in each for each in changed(stack)[:-1])
    stack.deleted()


def test_a_restore_goes_back_in_batches_to_files_that_the_stack_has_no_more(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, group("old.yaml"), files={"old.yaml": member("old")})
    stack.wait("CREATE_COMPLETE")
    kept = snapshot(stack)
    stack.updated(group("new.yaml"), files={"new.yaml": member("new")})
    restored(stack, kept)
    assert stack.outputs()["values"] == ["old"] * COUNT
    stack.deleted()
