"""What crosses between an API and an engine: every request, every answer, and nothing else."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoker.errors import Bug, Kind
from stoker.rpc.codec import VALUES, WORDS, OtherVersion, decode, encode
from stoker.usecases import caller, change_sets, software, stacks

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("$"), inner),
    max_leaves=5,
)
MOMENTS = st.datetimes(timezones=st.just(UTC))
PREVIEWS: st.SearchStrategy[Any] = st.deferred(
    lambda: st.lists(built(stacks.ResourcePreview) | PREVIEWS, max_size=2)
)


def built(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Return any value of a frozen class, with every field."""
    hints = get_type_hints(kind)
    known = {"resources": PREVIEWS} if kind is stacks.CreatePreview else {}
    of = {name: known[name] if name in known else anything(hint) for name, hint in hints.items()}
    return st.builds(kind, **of)


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Return any value that a field may have."""
    origin, inner = get_origin(hint), [each for each in get_args(hint) if each is not Ellipsis]
    if hint is Any:
        return JSON
    if hint is datetime:
        return MOMENTS
    if is_dataclass(hint) and isinstance(hint, type):
        return built(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(anything, inner))
    if origin in (Mapping, dict):
        return st.dictionaries(*map(anything, inner), max_size=2)
    if origin in (tuple, frozenset):
        return st.lists(st.one_of(*map(anything, inner)), max_size=2).map(origin)
    return st.from_type(hint)


def crossed(value: Any) -> Any:
    """Return a value as it arrives, through real JSON."""
    return decode(json.loads(json.dumps(encode(value))))


def declared(module: Any) -> set[type[Any]]:
    """Return the values and the words that a module declares."""
    return {
        each
        for _, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__
        and (is_dataclass(each) or issubclass(each, Enum | tuple))
    }


def test_every_request_and_answer_of_the_use_cases_has_a_form() -> None:
    nouns = (caller, stacks, software, change_sets)
    missing = set().union(*map(declared, nouns)) - {*VALUES, *WORDS}
    assert not missing, "add them to stoker.rpc.codec"


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_what_crosses_is_what_arrives(kind: type[Any]) -> None:
    @settings(max_examples=20)
    @given(built(kind))
    def check(value: Any) -> None:
        arrived = crossed(value)
        assert arrived == value
        assert type(arrived) is kind

    check()


@given(JSON)
def test_documents_arrive_as_they_were(value: Any) -> None:
    assert crossed(value) == value


@pytest.mark.parametrize(
    "value",
    [
        (1, (2, [3])),
        frozenset({"a"}),
        {1: "a", None: "b"},
        {"$": "StackRef", "v": {}},
        date(2018, 8, 31),
        datetime(2026, 1, 1, tzinfo=UTC),
        stacks.Action.CHECK,
        Kind.TEMPLATE,
        {"a": stacks.StackRef("i", "n", "p")},
    ],
    ids=repr,
)
def test_what_json_does_not_know_keeps_its_type(value: Any) -> None:
    arrived = crossed(value)
    assert arrived == value
    assert type(arrived) is type(value)


@dataclass(frozen=True)
class Stranger:
    """A value that nobody has listed."""

    name: str


@pytest.mark.parametrize("value", [Stranger("x"), b"x", {Stranger("x"): 1}, {1, 2}], ids=str)
def test_what_is_not_listed_does_not_cross(value: Any) -> None:
    with pytest.raises(Bug, match="no form on the wire"):
        encode(value)


@pytest.mark.parametrize(
    "sent",
    [
        {"$": "Newcomer", "v": {}},
        {"$": "StackRef", "v": {"id": "i", "name": "n", "project_id": "p", "more": 1}},
        {"$": "StackRef", "v": {"id": "i"}},
        {"$": "Action", "v": "dance"},
        {"$": "datetime", "v": "soon"},
        {"$": "tuple"},
    ],
    ids=str,
)
def test_what_another_version_says_is_told_to_be_that(sent: Mapping[str, Any]) -> None:
    with pytest.raises(OtherVersion):
        decode(sent)


def names(items: Sequence[type[Any]]) -> list[str]:
    return [each.__name__ for each in items]


def test_no_two_of_them_have_one_name() -> None:
    every = names(VALUES) + names(WORDS)
    assert len(set(every)) == len(every)
