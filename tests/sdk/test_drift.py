"""What is told of an object that others may have changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stoker.sdk.drift import drifted
from stoker.sdk.schema import Props, prop

ID, OTHER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


class Inner(Props):
    a: int = prop("Inside.", default=1)


class Given(Props):
    label: str | None = prop("Text.", default=None, updatable=True)
    usual: str = prop("Has a default.", default="usual", updatable=True)
    fixed: str | None = prop("Never changes.", default=None)
    up: bool | None = prop("Flag.", default=None, updatable=True, wire="is:up")
    words: tuple[str, ...] | None = prop("Texts.", default=None, updatable=True)
    items: Mapping[str, Any] | None = prop("Map.", default=None, updatable=True)
    net: str | None = prop("Names a network.", default=None, updatable=True, is_a="neutron.network")
    inner: Inner | None = prop("Nested.", default=None, updatable=True)


@pytest.mark.parametrize(
    ("given", "live", "expected"),
    [
        ({}, {"label": "theirs"}, set()),
        ({"label": "a"}, {}, set()),
        ({}, {"usual": "theirs"}, set()),
        ({"label": "a"}, {"label": "a"}, set()),
        ({"label": "a"}, {"label": "b"}, {"label"}),
        ({"label": "a"}, {"label": None}, {"label"}),
        ({"fixed": "a"}, {"fixed": "b"}, set()),
        ({"is:up": True}, {"is:up": False}, {"up"}),
        ({"words": ["b", "a"]}, {"words": ["a", "b"]}, set()),
        ({"words": ["a"]}, {"words": ["a", "b"]}, {"words"}),
        ({"words": ["a"]}, {"words": [{"id": 1}]}, {"words"}),
        ({"words": ["a"]}, {"words": None}, set()),
        ({"items": {"a": 1}}, {"items": {"a": "1", "theirs": "x"}}, set()),
        ({"items": {"a": 1}}, {"items": {"theirs": "x"}}, {"items"}),
        ({"items": {"a": {"b": 1}}}, {"items": {"a": "text"}}, set()),
        ({"net": "name"}, {"net": ID}, set()),
        ({"net": ID}, {"net": OTHER}, {"net"}),
        ({"net": "name"}, {"net": "other"}, {"net"}),
        ({"inner": {"a": 2}}, {"inner": {"a": 3}}, set()),
    ],
)
def test_only_what_can_be_compared_for_sure_is(
    given: dict[str, Any], live: dict[str, Any], expected: set[str]
) -> None:
    assert drifted(Given, given, live) == expected
