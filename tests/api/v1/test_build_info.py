from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api.fake import PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client


def test_the_revisions_are_told(call: Client) -> None:
    body = {"api": {"revision": "unknown"}, "engine": {"revision": "unknown"}}
    assert call("GET", f"/v1/{PROJECT}/build_info").json == body
