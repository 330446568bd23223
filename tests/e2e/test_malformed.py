"""What is wrong is refused in Heat's shape, says what and where, and leaves no trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e import malformed
from tests.e2e.malformed import GOOD, Wrong
from tests.e2e.state import changed, rows

if TYPE_CHECKING:
    from tests.app.serving import Serving
    from tests.e2e.rest import Answer, Rest, Stack

DOCUMENTS = {**malformed.TEMPLATES, **malformed.GIVEN}
BODIES = {**DOCUMENTS, **malformed.REQUESTS}


@pytest.fixture(scope="module")
def stack(rest: Rest) -> Stack:
    """Return a stack that is at rest, for updates that are refused."""
    made = rest.create("malformed", GOOD)
    made.wait("CREATE_COMPLETE")
    return made


def check(answer: Answer, says: tuple[str, ...]) -> None:
    assert 400 <= answer.status < 500, answer
    assert answer.json.keys() - {"problems"} == {"code", "title", "explanation", "error", "remedy"}
    assert answer.json["error"].keys() == {"type", "message", "traceback"}
    assert answer.json["code"] == answer.status
    for text in says:
        assert text in answer.message


@pytest.mark.parametrize("wrong", BODIES.values(), ids=BODIES)
def test_a_create_is_refused_and_nothing_is_stored(
    rest: Rest, served: Serving, stack: Stack, wrong: Wrong
) -> None:
    before = rows(served.state)
    check(rest.call("POST", "/stacks", {"stack_name": "wrong", **wrong.body}), wrong.says)
    assert not changed(served.state, before)
    assert rest.call("GET", "/stacks/wrong").status == 404


@pytest.mark.parametrize("wrong", BODIES.values(), ids=BODIES)
def test_an_update_is_refused_and_nothing_is_stored(
    rest: Rest, served: Serving, stack: Stack, wrong: Wrong
) -> None:
    before, shown = rows(served.state), stack.show()
    check(rest.call("PUT", stack.path, wrong.body), wrong.says)
    assert not changed(served.state, before)
    assert stack.show() == shown


@pytest.mark.parametrize("wrong", DOCUMENTS.values(), ids=DOCUMENTS)
def test_validating_finds_what_a_create_finds(
    rest: Rest, served: Serving, stack: Stack, wrong: Wrong
) -> None:
    before = rows(served.state)
    validated = rest.call("POST", "/validate", wrong.body)
    if wrong is malformed.GIVEN["a missing parameter"]:
        assert validated.status == 200  # it tells which parameters there are
    else:
        check(validated, wrong.says)
    assert not changed(served.state, before)


@pytest.mark.parametrize("raw", malformed.BYTES.values(), ids=malformed.BYTES)
def test_a_body_that_is_no_object_is_refused(
    rest: Rest, served: Serving, stack: Stack, raw: bytes
) -> None:
    before = rows(served.state)
    for method, path in (("POST", "/stacks"), ("PUT", stack.path), ("POST", "/validate")):
        check(rest.call(method, path, raw), ("body",))
    assert not changed(served.state, before)


@pytest.mark.parametrize("name", malformed.NAMES, ids=lambda name: str(name)[:8])
def test_a_name_that_cannot_be_is_refused(
    rest: Rest, served: Serving, stack: Stack, name: object
) -> None:
    before = rows(served.state)
    check(rest.call("POST", "/stacks", {"stack_name": name, "template": GOOD}), ("name",))
    assert not changed(served.state, before)


def test_a_hidden_value_that_is_wrong_is_not_told_again(rest: Rest) -> None:
    wrong = malformed.GIVEN["a hidden parameter that is wrong"]
    answer = rest.call("POST", "/stacks", {"stack_name": "wrong", **wrong.body})
    assert "far-too-long" not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "/stacks?limit=abc", "/stacks?limit=-1", "/stacks?sort_dir=up",
        "/stacks?show_nested=maybe",
    ],
)  # fmt: skip
def test_a_query_that_means_nothing_is_refused(rest: Rest, query: str) -> None:
    answer = rest.call("GET", query)
    assert answer.status == 400, answer
    assert answer.message


def test_what_the_language_and_what_the_types_find_is_told_at_once(rest: Rest) -> None:
    text = """
heat_template_version: 2018-08-31
parameters: {n: {type: number}}
resources:
  a: {type: OS::Heat::RandomString, properties: {length: abc}}
  b: {type: OS::Heat::RandomString, depends_on: gone}
  c: {type: OS::No::Such}
outputs:
  o: {value: {list_join: [',', 3]}}
"""
    body = {"stack_name": "wrong", "template": text, "parameters": {"n": "x"}}
    answer = rest.call("POST", "/stacks", body)
    assert answer.status == 400
    lines = answer.message.splitlines()
    for place in (
        "parameters.n", "resources.a.properties.length", "resources.b.depends_on",
        "resources.c.type", "outputs.o.value",
    ):  # fmt: skip
        told = [each.removeprefix("Property error: : ") for each in lines]
        assert [each for each in told if each.startswith(place)], (place, lines)
