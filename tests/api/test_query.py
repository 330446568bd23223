from __future__ import annotations

from typing import Any

import pytest

from stoker.api.query import Query, boolean, whole
from stoker.errors import Invalid


def test_the_last_of_several_values_counts_and_all_can_be_had() -> None:
    query = Query("a=1&a=2&b=&c=x%20y")
    assert (query.last("a"), query.all("a"), query.last("b")) == ("2", ("1", "2"), None)
    assert query.last("c") == "x y"


@pytest.mark.parametrize(("value", "truth"), [("true", True), ("FALSE", False), (True, True)])
def test_truth_is_spelt_true_or_false_in_any_case(value: object, truth: bool) -> None:  # noqa: FBT001
    assert boolean("x", value) is truth


@pytest.mark.parametrize("value", ["yes", "1", "", 1, 0, [], {}, "t" * 1000])
def test_any_other_truth_is_refused_by_name(value: object) -> None:
    with pytest.raises(Invalid, match=r"^'x' must be true or false, not .{1,70}\.$"):
        boolean("x", value)


@pytest.mark.parametrize(
    ("value", "number"), [("0", 0), (" 12 ", 12), (5, 5), (2**31 - 1, 2**31 - 1)]
)
def test_a_whole_number_may_be_spelt_or_given(value: object, number: int) -> None:
    assert whole("x", value) == number


@pytest.mark.parametrize(
    "value", ["abc", "1.5", "", "1_0", "٣", "9" * 5000, 1.5, True, [], {}, "--1", "0x10"]
)
def test_what_is_no_whole_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(Invalid, match=r"^Only integer is acceptable by 'x'"):
        whole("x", value)


@pytest.mark.parametrize("value", [-1, "-1", 2**31, 10**30, "99999999999999999999"])
def test_a_negative_or_absurd_number_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match=r"^'x' must be from 0 to 2147483647"):
        whole("x", value)


@pytest.mark.parametrize("text", ["a=%ff", "a=%00", "&".join(["a=1"] * 1001)])
def test_an_unreadable_query_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="query"):
        Query(text)


def test_filters_with_two_names_for_a_column_are_put_together() -> None:
    query = Query("name=a&stack_name=b&other=c")
    columns: dict[str, Any] = {"name": "name", "stack_name": "name"}
    assert query.filters(columns) == {"name": ("a", "b")}


def test_a_new_marker_takes_the_place_of_the_old_one() -> None:
    assert Query("limit=1&marker=a&tags=x,y").with_marker("b") == "limit=1&tags=x%2Cy&marker=b"
