from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client

URL = f"/v1/{PROJECT}/stacks/cap/{ID}/outputs"


def test_a_list_has_no_values(call: Client) -> None:
    body = {"outputs": [{"output_key": "v", "description": "the value"}]}
    assert call("GET", URL).json == body


def test_one_output_is_shown_with_its_value(call: Client) -> None:
    output = {"output_key": "v", "description": "the value", "output_value": "mOJ8Ygj2n3dH"}
    assert call("GET", f"{URL}/v").json == {"output": output}


def test_an_unknown_output_is_a_404(call: Client) -> None:
    answer = call("GET", f"{URL}/zz")
    assert (answer.status, answer.error["type"]) == (404, "NotFound")
    assert answer.error["message"] == "Specified output key zz not found."
