"""Parameters of every type, with every constraint, and values for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.agreement.language.calls import seldom

TYPES = ("string", "number", "comma_delimited_list", "json", "boolean")
NUMBERS = st.integers(-3, 12) | st.sampled_from([1.5, 2.0, "3", "1e3", "-4.50", "0x1", " 7 "])
TEXTS = st.sampled_from(
    ["", "a", "abc", "abcabc", "é", "1", "true", "No", "a,b", ",", "a, b", " ", "t", "x\n", "07"]
)
LISTS = st.lists(TEXTS | st.integers(0, 3) | st.none(), max_size=3)
MAPS = st.dictionaries(st.sampled_from(["k", "1"]), TEXTS | st.integers(0, 3), max_size=2)
JSON = st.sampled_from(['{"a": 1}', "[1, 2]", '"x"', "{", "null", "1", "", "{'a': 1}"])
VALUES: dict[str, Any] = {
    "string": TEXTS | NUMBERS,
    "number": NUMBERS | TEXTS,
    "comma_delimited_list": TEXTS | LISTS,
    "json": MAPS | LISTS | JSON,
    "boolean": st.booleans() | st.sampled_from(["t", "F", "on", "OFF", "y", "0", "1", 1, 0, "2"]),
}
VALUE = st.one_of(*VALUES.values())
BOUND = st.integers(-1, 5)
BOUNDS = st.fixed_dictionaries({}, optional={"min": BOUND, "max": BOUND})
PATTERN = st.sampled_from(
    ["[a-c]*", "a|abc", "^abc$", "(abc)+", "[0-9]+", ".", "", r"\w+\s?", "a{2,3}", "(?i)ABC", "["]
)


def constraint(of_type: str) -> Any:
    """Return constraints, mostly such as go with the type."""
    kinds = {
        "length": BOUNDS,
        "range": BOUNDS,
        "modulo": st.fixed_dictionaries({"step": st.integers(-3, 3), "offset": st.integers(-2, 3)}),
        "allowed_values": st.lists(seldom(VALUES[of_type], VALUE), min_size=1, max_size=3),
        "allowed_pattern": PATTERN,
    }
    return st.sampled_from(list(kinds)).flatmap(
        lambda kind: kinds[kind].map(lambda body: {kind: body})
    )


def parameter(of_type: str) -> Any:
    """Return declarations of a parameter."""
    return st.fixed_dictionaries(
        {"type": st.just(of_type)},
        optional={
            "default": seldom(VALUES[of_type], VALUE),
            "constraints": st.lists(constraint(of_type), max_size=2),
            "hidden": seldom(st.booleans(), st.sampled_from(["true", "x", 1])),
            "immutable": st.booleans(),
            "label": st.just("l"),
            "description": st.just("d"),
        },
    )
