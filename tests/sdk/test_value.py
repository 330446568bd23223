from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Bug
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.value import FrozenMap, freeze, is_open, thaw

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON)
def test_thawing_gives_back_what_was_frozen(value: object) -> None:
    frozen = freeze(value)
    assert thaw(frozen) == value
    assert json.loads(json.dumps(frozen)) == value
    assert hash(frozen) == hash(freeze(thaw(frozen)))


@pytest.mark.parametrize("change", ["clear", "popitem", "update", "setdefault", "pop"])
def test_a_frozen_map_cannot_be_changed(change: str) -> None:
    frozen = FrozenMap({"a": 1})
    with pytest.raises(Bug):
        getattr(frozen, change)("a")
    with pytest.raises(Bug):
        frozen["b"] = 2
    with pytest.raises(Bug):
        del frozen["a"]


def test_a_frozen_map_can_be_copied_and_pickled() -> None:
    frozen = freeze({"a": [1, {"b": 2}]})
    assert copy.deepcopy(frozen) == frozen
    assert pickle.loads(pickle.dumps(frozen)) == frozen  # noqa: S301 - our own


def test_an_unknown_is_seen_at_any_depth() -> None:
    assert is_open(freeze({"a": [1, {"b": UNKNOWN}]}))
    assert not is_open(freeze({"a": [1, {"b": 2}]}))
