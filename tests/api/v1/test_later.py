from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from stoker.api.v1 import later
from tests.api.fake import PROJECT

if TYPE_CHECKING:
    from stoker.api.route import Route
    from tests.api.fake import Client, FakeStacks


@pytest.mark.parametrize("route", later.ROUTES, ids=lambda route: f"{route.verb} {route.path}")
def test_what_is_not_there_yet_is_refused_clearly(
    admin: Client, stacks: FakeStacks, route: Route
) -> None:
    url = "/v1" + re.sub(r"\{\w+\}", "x", route.path.replace("{project}", PROJECT))
    answer = admin(route.verb, url, {})
    assert (answer.status, answer.error["type"]) == (400, "NotSupported")
    assert answer.error["message"].endswith(" is not available in this version of Stoker.")
    assert stacks.asked == []
