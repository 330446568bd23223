from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from stoker.api import fetch
from stoker.usecases.stacks import CreateStack, Goal, StackQuery
from tests.api.fake import A_STACK, ID, PROJECT, TEMPLATE, Client

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.api.fake import FakeStacks

BASE = f"http://127.0.0.1:8004/v1/{PROJECT}/stacks"
URL = f"/v1/{PROJECT}/stacks"

LISTED = {
    "id": ID,
    "links": [{"href": f"{BASE}/cap/{ID}", "rel": "self"}],
    "stack_name": "cap",
    "description": "",
    "stack_status": "CREATE_COMPLETE",
    "stack_status_reason": "Stack CREATE completed successfully",
    "creation_time": "2026-11-29T12:39:24Z",
    "updated_time": None,
    "deletion_time": None,
    "stack_owner": "demo",
    "parent": None,
    "stack_user_project_id": "c6ce1841705e4b539c3f0ce4c4ea3438",
    "tags": ["t1", "t2"],
}


def asked(stacks: FakeStacks, call: Client, query: str) -> StackQuery:
    answer = call("GET", f"{URL}?{query}")
    assert answer.status == 200, answer.data
    found: StackQuery = stacks.asked[-1][2]
    return found


def test_a_list_has_heats_keys_in_heats_order(call: Client) -> None:
    answer = call("GET", URL)
    assert answer.json == {"stacks": [LISTED]}
    assert list(answer.json["stacks"][0]) == list(LISTED)


def test_a_stack_without_tags_has_null_for_them_in_lists(call: Client, stacks: FakeStacks) -> None:
    stacks.stack = replace(A_STACK, tags=())
    assert call("GET", URL).json["stacks"][0]["tags"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        ("limit=5&marker=abc", {"limit": 5, "marker": "abc"}),
        ("limit=0", {"limit": 0}),
        (
            "sort_keys=stack_name&sort_keys=nosuch&sort_keys=creation_time&sort_dir=asc",
            {"sort_keys": ("name", "created_at"), "sort_dir": "asc"},
        ),
        ("show_deleted=True&show_nested=true&show_hidden=TRUE&global_tenant=false",
         {"show_deleted": True, "show_nested": True, "show_hidden": True}),
        ("tags=a,b&tags_any=c&not_tags=d&not_tags_any=e,f",
         {"tags": ("a", "b"), "tags_any": ("c",), "not_tags": ("d",), "not_tags_any": ("e", "f")}),
        ("not-tags=t1&sort_key=x&unknown=1", {}),
        ("name=a&stack_name=b&id=c", {"filters": {"name": ("a", "b"), "id": ("c",)}}),
        ("status=COMPLETE", {"filters": {"status": ("COMPLETE",)}}),
        ("status=IN_PROGRESS", {"filters": {"status": ("IN_PROGRESS",)}}),
        (
            "stack_status=CREATE_IN_PROGRESS&stack_status=UPDATE_FAILED&action=CREATE",
            {
                "filters": {
                    "action": ("CREATE", "UPDATE"),
                    "status": ("IN_PROGRESS", "FAILED"),
                }
            },
        ),
        ("tenant=p&parent=x&stack_owner=me",
         {"filters": {"project_id": ("p",), "owner_id": ("x",), "username": ("me",)}}),
    ],
)  # fmt: skip
def test_a_query_is_read(
    call: Client, stacks: FakeStacks, query: str, expected: dict[str, Any]
) -> None:
    assert asked(stacks, call, query) == StackQuery(**expected)


@pytest.mark.parametrize(
    "query",
    ["limit=abc", "limit=-1", "limit=1e3", "show_deleted=yes", "show_nested=1", "sort_dir=up",
     "global_tenant=maybe", "with_count=x", "name=%ff"],
)  # fmt: skip
def test_a_wrong_query_is_refused_before_anything_is_asked(
    call: Client, stacks: FakeStacks, query: str
) -> None:
    answer = call("GET", f"{URL}?{query}")
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert stacks.asked == []


def test_a_full_page_links_to_the_next(call: Client) -> None:
    answer = call("GET", f"{URL}?limit=1&sort_dir=desc&marker=old")
    href = f"{BASE}?limit=1&sort_dir=desc&marker={ID}"
    assert answer.json["links"] == [{"rel": "next", "href": href}]
    assert "links" not in call("GET", f"{URL}?limit=2").json


def test_the_count_comes_when_asked_for(call: Client) -> None:
    assert call("GET", f"{URL}?with_count=true").json["count"] == 7
    assert "count" not in call("GET", URL).json


def test_all_projects_stacks_are_for_whom_the_policy_names(call: Client) -> None:
    answer = call("GET", f"{URL}?global_tenant=true")
    assert answer.status == 403
    assert answer.error["message"] == "You are not authorized to use stacks:global_index."


def test_detail_lists_without_filters(call: Client, stacks: FakeStacks) -> None:
    assert call("GET", f"{URL}/detail?limit=1&name=x").json == {"stacks": [LISTED]}
    assert stacks.asked[-1][2] == StackQuery()


def test_create_answers_201_with_where_the_stack_is(call: Client, stacks: FakeStacks) -> None:
    body = {
        "stack_name": "new",
        "template": TEMPLATE,
        "parameters": {"a": 1},
        "environment": {"parameter_defaults": {}},
        "files": {"a.txt": "x", "env.yaml": "{}"},
        "environment_files": ["env.yaml"],
        "tags": "t1, t2",
        "timeout_mins": "30",
        "disable_rollback": "False",
        "unheard_of": 1,
    }
    answer = call("POST", URL, body)
    href = f"{BASE}/new/{ID}"
    assert (answer.status, answer.headers["location"]) == (201, href)
    assert answer.json == {"stack": {"id": ID, "links": [{"href": href, "rel": "self"}]}}
    assert stacks.asked[-1][2] == CreateStack(
        name="new",
        goal=Goal(
            template=TEMPLATE,
            parameters={"a": 1},
            environment={"parameter_defaults": {}},
            environment_files=("env.yaml",),
            files={"a.txt": "x", "env.yaml": "{}"},
        ),
        timeout_mins=30,
        disable_rollback=False,
        tags=("t1", "t2"),
    )


def test_what_is_null_or_left_out_has_its_default(call: Client, stacks: FakeStacks) -> None:
    names = ("environment", "files", "parameters", "tags", "timeout_mins", "disable_rollback")
    body = {"stack_name": "new", "template": "text", **dict.fromkeys(names)}
    assert call("POST", URL, body).status == 201
    assert stacks.asked[-1][2] == CreateStack(name="new", goal=Goal(template="text"))


def test_a_template_that_is_fetched_is_known_by_its_address(
    call: Client, stacks: FakeStacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "fetch_bytes", lambda _url, _limits: b"text")
    url = "https://there.example/a.yaml"
    call("POST", URL, {"stack_name": "new", "template_url": f"{url}?key=secret"})
    assert stacks.asked[-1][2] == CreateStack("new", Goal("text", file=url))
    call("POST", URL, {"stack_name": "new", "template": "own", "template_url": url})
    assert stacks.asked[-1][2] == CreateStack("new", Goal("own"))


def test_a_time_out_of_0_is_none(call: Client, stacks: FakeStacks) -> None:
    call("POST", URL, {"stack_name": "new", "template": "text", "timeout_mins": 0})
    assert stacks.asked[-1][2].timeout_mins is None


def test_a_taken_name_is_a_409(call: Client) -> None:
    answer = call("POST", URL, {"stack_name": "cap", "template": "text"})
    assert (answer.status, answer.error["type"]) == (409, "StackExists")
    assert answer.error["message"] == "The Stack (cap) already exists."


def test_a_name_that_is_no_plain_text_is_escaped_in_links(call: Client) -> None:
    answer = call("POST", URL, {"stack_name": "a b/ü", "template": "text"})
    assert answer.headers["location"] == f"{BASE}/a%20b%2F%C3%BC/{ID}"


def test_files_of_a_container_are_refused_clearly(call: Client) -> None:
    answer = call("POST", URL, {"stack_name": "new", "template": "text", "files_container": "x"})
    assert (answer.status, answer.error["type"]) == (400, "NotSupported")
    assert answer.error["message"].endswith("is not available in this version of Stoker.")


_EXPORT = {"template": {"heat_template_version": "2021-04-16"}, "resources": {}, "tags": ["x"]}


@pytest.mark.parametrize("form", [json.dumps, yaml.safe_dump, dict])
def test_what_is_adopted_brings_its_template(
    call: Client, stacks: FakeStacks, form: Callable[[Any], Any]
) -> None:
    body = {"stack_name": "new", "template": None, "adopt_stack_data": form(_EXPORT)}
    assert call("POST", URL, body).status == 201
    what = stacks.asked[-1][2]
    assert (what.adopted, what.goal.template) == (_EXPORT, _EXPORT["template"])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('{"code": 400}', "Invalid adopt data: 'template'"),
        ("[]", "Invalid adopt data: it must be a map"),
        ('{"template": "text"}', "Invalid adopt data: 'template'"),
    ],
)
def test_what_cannot_be_adopted_is_refused(call: Client, data: str, text: str) -> None:
    answer = call("POST", URL, {"stack_name": "new", "adopt_stack_data": data})
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert answer.error["message"] == text
