"""What a client can get wrong in a body: each time a refusal that says what and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.api.fake import ID, PROJECT, TEMPLATE

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

CREATE = ("POST", f"/v1/{PROJECT}/stacks")
VERBS = [
    CREATE,
    ("PUT", f"/v1/{PROJECT}/stacks/cap/{ID}"),
    ("PATCH", f"/v1/{PROJECT}/stacks/cap/{ID}"),
    ("POST", f"/v1/{PROJECT}/validate"),
]
GOOD = {"stack_name": "new", "template": TEMPLATE}

BYTES = {
    "nothing": b"",
    "a list": b"[]",
    "a string": b'"x"',
    "a number": b"17",
    "null": b"null",
    "YAML": b"stack_name: x",
    "a form": b"stack_name=x&template=y",
    "a leading space": b' {"stack_name": "x"}',
    "a byte order mark": b'\xef\xbb\xbf{"stack_name": "x"}',
    "half an object": b'{"stack_name": ',
    "two objects": b"{}{}",
    "a trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "not a number": b'{"a": NaN}',
    "no UTF-8": b'{"stack_name": "\xff\xfe"}',
    "UTF-16": '{"a": 1}'.encode("utf-16-le"),
    "half a surrogate": b'{"stack_name": "\\ud800"}',
    "a control character": b'{"stack_name": "a\x00b"}',
    "a deep nest": b'{"a":' * 5000,
    "a closed deep nest": b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "an unknown word": b'{"a": undefined}',
}

ANYWHERE: list[tuple[dict[str, Any], str]] = [
    ({"template": 5}, "template: must be a map"),
    ({"template": True}, "template: must be a map"),
    ({"template": []}, "template: must be a map"),
    ({"template": None, "template_url": 7}, "template_url: must be a string"),
    ({"template": None, "template_url": "file:///etc/passwd"}, "Invalid URL scheme file"),
    ({"template": None, "template_url": "nonsense"}, "Could not retrieve template"),
    ({"environment": []}, "environment: must be a map"),
    ({"environment": 1}, "environment: must be a map"),
    ({"files": []}, "files: must be a map"),
    ({"files": "a"}, "files: must be a map"),
    ({"files": {"a": 1}}, "files.a: must be text, not a number"),
    ({"files": {"a": None}}, "files.a: must be text, not null"),
    ({"files": {"a": {"b": "c"}}}, "files.a: must be text, not a map"),
    ({"parameters": []}, "parameters: must be a map, not a list"),
    ({"parameters": "a=b"}, "parameters: must be a map, not a string"),
    ({"environment_files": "a"}, "environment_files: must be a list"),
    ({"environment_files": {"a": 1}}, "environment_files: must be a list"),
    ({"environment_files": [1]}, "environment_files[0]: must be a string, not a number"),
    ({"environment_files": ["a"], "files": {"b": ""}}, "environment_files[0]: a is not among"),
]
IN_STACKS: list[tuple[dict[str, Any], str]] = [
    ({"tags": ["a"]}, "tags: must be a string"),
    ({"tags": {"a": 1}}, "tags: must be a string"),
    ({"tags": 1}, "tags: must be a string"),
    ({"tags": "a,,b"}, "tags: holds a tag that is empty"),
    ({"tags": "a\0b"}, "tags: holds a tag that is"),
    ({"tags": "a" * 81}, f'Invalid tag, "{"a" * 81}" is longer than 80 characters'),
    ({"timeout_mins": "abc"}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": -1}, "'timeout_mins' must be from 0"),
    ({"timeout_mins": 1.5}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": True}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": [1]}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": {}}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": 10**15}, "'timeout_mins' must be from 0"),
    ({"timeout_mins": 10**40}, "Only integer is acceptable by 'timeout_mins'."),
    ({"timeout_mins": "1" * 5000}, "Only integer is acceptable by 'timeout_mins'."),
    ({"disable_rollback": "maybe"}, "'disable_rollback' must be true or false"),
    ({"disable_rollback": 1}, "'disable_rollback' must be true or false"),
    ({"disable_rollback": []}, "'disable_rollback' must be true or false"),
]
IN_CREATE: list[tuple[dict[str, Any], str]] = [
    ({"stack_name": None}, "No stack name specified"),
    ({"stack_name": ""}, "No stack name specified"),
    ({"stack_name": 5}, "stack_name: must be a string, not a number"),
    ({"stack_name": ["a"]}, "stack_name: must be a string, not a list"),
    ({"stack_name": {"a": 1}}, "stack_name: must be a string, not a map"),
    ({"stack_name": True}, "stack_name: must be a string, not a boolean"),
    ({"template": None}, "No template specified"),
    ({"converge": True}, "converge: is for updates only"),
]
IN_UPDATE: list[tuple[dict[str, Any], str]] = [
    ({"clear_parameters": "a"}, "clear_parameters: must be a list"),
    ({"clear_parameters": [1]}, "clear_parameters[0]: must be a string"),
    ({"converge": "x"}, "'converge' must be true or false"),
]
FIELDS = [
    *((verb, change, text) for verb in VERBS for change, text in ANYWHERE),
    *((verb, change, text) for verb in VERBS[:3] for change, text in IN_STACKS),
    *((CREATE, change, text) for change, text in IN_CREATE),
    *((verb, change, text) for verb in VERBS[1:3] for change, text in IN_UPDATE),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("raw", BYTES.values(), ids=BYTES)
def test_a_body_that_is_no_object_is_refused(
    call: Client, stacks: FakeStacks, verb: tuple[str, str], raw: bytes
) -> None:
    answer = call(*verb, raw)
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert "body" in answer.error["message"]
    assert stacks.asked == []


@pytest.mark.parametrize(("verb", "change", "text"), FIELDS)
def test_a_wrong_field_is_refused_by_name(
    call: Client, stacks: FakeStacks, verb: tuple[str, str], change: dict[str, Any], text: str
) -> None:
    answer = call(*verb, {**GOOD, **change})
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest"), answer.data
    assert text in answer.error["message"]
    assert stacks.asked == []


def test_all_that_is_wrong_is_told_at_once(call: Client) -> None:
    body = {"stack_name": 1, "template": 2, "files": {"a": 3, "b": 4}, "timeout_mins": "x"}
    answer = call(*CREATE, body)
    assert len(answer.error["message"].splitlines()) == 5
    assert {each["code"] for each in answer.json["problems"]} == {"request"}


@pytest.mark.parametrize("media_type", ["application/xml", "multipart/form-data", "image/png"])
def test_a_body_of_another_media_type_does_not_count(call: Client, media_type: str) -> None:
    answer = call(*CREATE, GOOD, CONTENT_TYPE=media_type)
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")


@pytest.mark.parametrize(
    "media_type", ["", "text/plain", "JSON", "application/json; charset=utf-8"]
)
def test_json_may_be_called_by_several_names(call: Client, media_type: str) -> None:
    assert call(*CREATE, GOOD, CONTENT_TYPE=media_type).status == 201


@pytest.mark.parametrize("size", ["x", "-5", "1e3", "٣"])
def test_a_length_that_is_no_number_is_refused(call: Client, size: str) -> None:
    assert call(*CREATE, GOOD, CONTENT_LENGTH=size).status == 400


def test_a_body_that_breaks_off_is_refused(call: Client) -> None:
    answer = call(*CREATE, GOOD, CONTENT_LENGTH="5000")
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert "of 5000 bytes" in answer.error["message"]


@pytest.mark.parametrize(("filler", "status"), [("", 201), ("x" * 1024 * 1024, 400)])
def test_a_body_may_come_in_chunks_of_unknown_length(
    call: Client, filler: str, status: int
) -> None:
    chunked: dict[str, Any] = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}
    answer = call(*CREATE, {**GOOD, "filler": filler}, **chunked)
    assert answer.status == status


def test_a_huge_body_is_refused_unread(call: Client) -> None:
    answer = call(*CREATE, GOOD, CONTENT_LENGTH=str(1024 * 1024 + 1))
    assert (answer.status, answer.error["type"]) == (400, "RequestLimitExceeded")
    assert answer.error["message"] == (
        "Request limit exceeded: JSON body size (1048577 bytes) exceeds maximum allowed size"
        " (1048576 bytes)."
    )


@pytest.mark.parametrize("template", ["x" * 2001, {"a": "x" * 2001}])
def test_a_template_over_the_limit_is_refused(call: Client, template: Any) -> None:
    answer = call(*CREATE, {**GOOD, "template": template})
    assert (answer.status, answer.error["type"]) == (400, "RequestLimitExceeded")


def test_a_body_where_none_is_wanted_does_no_harm(call: Client) -> None:
    assert call("GET", f"/v1/{PROJECT}/stacks", b"\xff{").status == 200
