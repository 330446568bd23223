from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from stoker.errors import Bug
from stoker.lang.unknown import UNKNOWN, is_known


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (None, True),
        ({"a": [1, {"b": "c"}]}, True),
        (UNKNOWN, False),
        ({"a": [1, {"b": UNKNOWN}]}, False),
        ((UNKNOWN,), False),
        ([], True),
    ],
)
def test_is_known(value: Any, known: Any) -> None:
    assert is_known(value) is known


def test_nobody_decides_on_an_unknown_value() -> None:
    with pytest.raises(Bug):
        bool(UNKNOWN)


def test_there_is_only_one() -> None:
    assert copy.deepcopy([UNKNOWN])[0] is UNKNOWN
    assert copy.copy(UNKNOWN) is UNKNOWN
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN  # noqa: S301
    assert repr(UNKNOWN) == "UNKNOWN"
