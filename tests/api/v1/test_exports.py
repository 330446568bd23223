from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import Unsupported
from tests.api.fake import ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

URL = f"/v1/{PROJECT}/stacks/cap/{ID}"


@pytest.mark.parametrize(
    ("verb", "what", "body"),
    [("GET", "export", {"name": "cap"}), ("DELETE", "abandon", {"name": "cap", "resources": {}})],
)
def test_the_answer_is_the_document(
    call: Client, stacks: FakeStacks, verb: str, what: str, body: object
) -> None:
    answer = call(verb, f"{URL}/{what}")
    assert (answer.status, answer.json) == (200, body)
    assert (stacks.asked[-1][0], stacks.asked[-1][2]) == (what, STACK)


def test_what_is_not_switched_on_is_not_supported(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Unsupported("Stack Abandon is not supported.")
    answer = call("GET", f"{URL}/export")
    assert (answer.status, answer.error["type"]) == (400, "NotSupported")
    assert answer.error["message"] == "Stack Abandon is not supported."
