from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.usecases.stacks import Fate, ResourcePreview
from tests.api.fake import A_PLAN, CHILD, ID, PROJECT, STACK, TEMPLATE, TIME

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

PREVIEW = f"/v1/{PROJECT}/stacks/cap/{ID}/preview"
THERE = ResourcePreview(
    name="grp",
    stack=STACK,
    type="OS::Heat::ResourceGroup",
    physical_id=CHILD.id,
    action="CREATE",
    reason="state changed",
    created_at=TIME,
    updated_at=TIME,
    nested=CHILD,
    metadata={"a": "b"},
    fate=Fate.UPDATED,
    why="its child stack is brought up to date",
)


def test_a_create_is_previewed_in_the_shape_of_heat(call: Client, stacks: FakeStacks) -> None:
    body = {"stack_name": "new", "template": TEMPLATE, "tags": "a,b"}
    answer = call("POST", f"/v1/{PROJECT}/stacks/preview", body)
    assert answer.status == 200
    stack = answer.json["stack"]
    assert stack.keys() == {
        "stack_name", "id", "links", "creation_time", "updated_time", "deletion_time",
        "notification_topics", "parameters", "description", "template_description",
        "capabilities", "disable_rollback", "timeout_mins", "stack_owner", "parent",
        "stack_user_project_id", "tags", "outputs", "resources",
    }  # fmt: skip
    assert (stack["id"], stack["tags"]) == ("None", ["a", "b"])
    (member,), top = stack["resources"]
    assert (member["stack_name"], member["parent_resource"]) == ("cap-grp", "grp")
    identity = {"tenant": PROJECT, "stack_name": "cap", "stack_id": "None"}
    assert top == {
        "updated_time": None,
        "creation_time": None,
        "resource_name": "rs",
        "physical_resource_id": "",
        "resource_action": "INIT",
        "resource_status": "COMPLETE",
        "resource_status_reason": "",
        "resource_type": "OS::Heat::RandomString",
        "resource_identity": identity | {"path": "/resources/rs"},
        "stack_identity": identity | {"path": ""},
        "stack_name": "cap",
        "required_by": ["val"],
        "description": "",
        "metadata": {},
        "attributes": {"value": None},
        "properties": {"length": 12, "salt": None},
    }
    assert stacks.asked[0][2].name == "new"


def test_a_preview_needs_what_a_create_needs(call: Client, stacks: FakeStacks) -> None:
    answer = call("POST", f"/v1/{PROJECT}/stacks/preview", {"template": TEMPLATE})
    assert (answer.status, answer.error["message"]) == (400, "No stack name specified")
    assert stacks.asked == []


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_an_update_is_previewed_by_what_becomes_of_each_resource(
    call: Client, stacks: FakeStacks, verb: str
) -> None:
    stacks.changes = (
        THERE,
        replace(THERE, name="later", fate=Fate.OPEN, why="it is being worked on"),
        replace(A_PLAN, properties=None, fate=Fate.ADDED, why="it does not exist yet"),
        replace(THERE, name="old", fate=Fate.DELETED),
    )
    answer = call(verb, f"{PREVIEW}?show_nested=True", {"template": TEMPLATE})
    assert (answer.status, answer.headers["etag"]) == (200, '"v1"')
    changes = answer.json["resource_changes"]
    assert {fate: [each["resource_name"] for each in rows] for fate, rows in changes.items()} == {
        "unchanged": [],
        "updated": ["grp", "later"],
        "replaced": [],
        "added": ["rs"],
        "deleted": ["old"],
    }
    group, later = changes["updated"]
    assert group["nested_stack_id"] == {
        "tenant": PROJECT, "stack_name": "cap-grp", "stack_id": CHILD.id, "path": "",
    }  # fmt: skip
    assert group["updated_time"] == "2026-11-29T12:39:24Z"
    assert group["change"] == {
        "fate": "updated",
        "reason": "its child stack is brought up to date",
    }
    assert later["change"] == {"fate": "open", "reason": "it is being worked on"}
    _, _, ref, what, nested = stacks.asked[0]
    assert (ref, what.existing, nested) == (STACK, verb == "PATCH", True)


def test_an_update_may_name_the_preview_that_it_goes_by(call: Client, stacks: FakeStacks) -> None:
    url, body = PREVIEW.removesuffix("/preview"), {"template": TEMPLATE}
    call("PUT", url, body, HTTP_IF_MATCH='"v1"')
    call("PUT", url, body, HTTP_IF_MATCH="*")
    call("PUT", url, body)
    assert [asked[3].expected for asked in stacks.asked] == ["v1", None, None]


def test_a_reader_previews_a_create_and_no_update(call: Client) -> None:
    reader = replace(call, roles="heat_stack_user,reader")
    body = {"stack_name": "new", "template": TEMPLATE}
    assert reader("POST", f"/v1/{PROJECT}/stacks/preview", body).status == 200
    answer = reader("PUT", PREVIEW, body)
    assert (answer.status, answer.error["type"]) == (403, "Forbidden")
