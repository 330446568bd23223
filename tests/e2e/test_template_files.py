"""A nested template's file that an update renames, drops or changes: the old child still goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.rest import Rest

HOT = "heat_template_version: 2018-08-31\n"
CHILD = f"{HOT}resources: {{inner: {{type: OS::Heat::RandomString}}}}\n"
WITH_PARAMETER = f"{HOT}parameters: {{note: {{type: string}}}}\n" + CHILD.removeprefix(HOT)


def one(type: str, **properties: Any) -> dict[str, Any]:
    resource = {"type": type, **({"properties": properties} if properties else {})}
    return {"heat_template_version": "2018-08-31", "resources": {"one": resource}}


def test_a_template_file_of_another_name_replaces_the_child(rest: Rest, name: str) -> None:
    registry = {"resource_registry": {"My::One": "old.yaml"}}
    stack = rest.create(name, one("My::One"), environment=registry, files={"old.yaml": CHILD})
    stack.wait("CREATE_COMPLETE")
    registry = {"resource_registry": {"My::One": "new/one.yaml"}}
    stack.updated(one("My::One"), environment=registry, files={"new/one.yaml": CHILD})
    assert [each["resource_name"] for each in stack.resources(2)] == ["one", "inner"]
    stack.deleted()


@pytest.mark.parametrize("count", [1, 3])
def test_members_of_a_group_go_when_their_template_is_another(
    rest: Rest, name: str, count: int
) -> None:
    def group(file: str) -> dict[str, Any]:
        return one("OS::Heat::ResourceGroup", count=count, resource_def={"type": file})

    stack = rest.create(name, group("a.yaml"), files={"a.yaml": CHILD})
    stack.wait("CREATE_COMPLETE")
    stack.updated(group("b.yaml"), files={"b.yaml": CHILD})
    stack.deleted()


def test_a_child_goes_when_the_template_has_neither_it_nor_its_file(rest: Rest, name: str) -> None:
    stack = rest.create(name, one("old.yaml"), files={"old.yaml": CHILD})
    stack.wait("CREATE_COMPLETE")
    stack.updated({"heat_template_version": "2018-08-31"})
    assert stack.resources() == []
    stack.deleted()


def test_a_child_that_was_never_made_goes_too(rest: Rest, name: str) -> None:
    template = one("old.yaml")
    fail = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
    template["resources"] |= {"bad": fail}
    template["resources"]["one"]["depends_on"] = "bad"
    stack = rest.create(name, template, files={"old.yaml": CHILD})
    stack.wait("CREATE_FAILED")
    stack.updated({"heat_template_version": "2018-08-31"})
    stack.deleted()


def test_a_file_that_loses_a_parameter_updates_its_child(rest: Rest, name: str) -> None:
    files = {"a.yaml": WITH_PARAMETER}
    stack = rest.create(name, one("a.yaml", note="x"), files=files)
    stack.wait("CREATE_COMPLETE")
    stack.updated(one("a.yaml"), files={"a.yaml": CHILD})
    stack.updated(one("a.yaml", note="y"), files=files)
    stack.deleted()
