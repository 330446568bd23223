from __future__ import annotations

import pytest

from stoker.plan.restoring import below, mended_template, mending, touched

MENDED = mending(
    [
        (("a",), {"image": "i1"}),
        (("n", "b"), {"origin": "c1", "source": None}),
        (("n",), {"size": 2}),
        (("n", "m", "c"), {"origin": "c2"}),
    ]
)


def test_a_mending_is_a_tree_of_resources_and_what_is_below_them() -> None:
    assert MENDED == {
        "a": {"properties": {"image": "i1"}},
        "n": {
            "properties": {"size": 2},
            "resources": {
                "b": {"properties": {"origin": "c1", "source": None}},
                "m": {"resources": {"c": {"properties": {"origin": "c2"}}}},
            },
        },
    }
    assert below(below(MENDED, "n"), "m") == {"c": {"properties": {"origin": "c2"}}}
    assert (below(MENDED, "a"), below(MENDED, "x")) == ({}, {})


def test_what_is_taken_away_is_nothing_to_bring_about() -> None:
    assert touched(MENDED) == {"a": frozenset({"image"}), "n": frozenset({"size"})}
    assert touched(below(MENDED, "n")) == {"b": frozenset({"origin"})}


@pytest.mark.parametrize(
    ("section", "words"),
    [("resources", ("type", "properties")), ("Resources", ("Type", "Properties"))],
)
def test_properties_are_set_in_either_language(section: str, words: tuple[str, str]) -> None:
    type_, properties = words
    raw = {
        "version": 1,
        section: {
            "b": {type_: "T", properties: {"origin": "old", "source": "s", "size": 1}},
            "x": {type_: "T"},
        },
    }
    mended = mended_template(raw, {**below(MENDED, "n"), "x": {"properties": {"size": 3}}})
    assert mended == {
        "version": 1,
        section: {
            "b": {type_: "T", properties: {"origin": "c1", "size": 1}},
            "x": {type_: "T", properties: {"size": 3}},
        },
    }
    assert raw[section]["b"][properties]["origin"] == "old"  # type: ignore[index]


def test_resources_without_a_mending_and_templates_without_resources_stay() -> None:
    raw = {"resources": {"z": {"type": "T", "properties": {"size": 1}}}}
    assert mended_template(raw, MENDED) == raw
    assert mended_template({"version": 1}, MENDED) == {"version": 1}
