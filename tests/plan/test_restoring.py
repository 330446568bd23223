from __future__ import annotations

import pytest

from stoker.plan.restoring import below, fitting, mended_template, mending, touched

MENDED = mending(
    [
        (("a",), "T", {"image": "i1"}),
        (("n", "b"), "T", {"origin": "c1", "source": None}),
        (("n",), "N", {"size": 2}),
        (("n", "m", "c"), "U", {"origin": "c2"}),
    ]
)


def test_a_mending_is_a_tree_of_resources_and_what_is_below_them() -> None:
    assert MENDED == {
        "a": {"type": "T", "properties": {"image": "i1"}},
        "n": {
            "type": "N",
            "properties": {"size": 2},
            "resources": {
                "b": {"type": "T", "properties": {"origin": "c1", "source": None}},
                "m": {"resources": {"c": {"type": "U", "properties": {"origin": "c2"}}}},
            },
        },
    }
    assert below(below(MENDED, "n"), "m") == {"c": {"type": "U", "properties": {"origin": "c2"}}}
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


@pytest.mark.parametrize(("section", "word"), [("resources", "type"), ("Resources", "Type")])
def test_what_is_of_another_type_by_now_or_not_there_is_not_mended(section: str, word: str) -> None:
    raw = {section: {"a": {word: "T"}, "n": {word: "M"}}}
    inner = MENDED["n"]["resources"]
    assert fitting(raw, MENDED) == {"a": MENDED["a"], "n": {"resources": inner}}
    assert touched(fitting(raw, MENDED)) == {"a": frozenset({"image"})}
    assert touched(fitting({section: {"n": {word: "N"}}}, MENDED)) == {"n": frozenset({"size"})}
    assert fitting({"version": 1}, {"a": MENDED["a"]}) == {"a": {}}
    untold = {"a": {"properties": {"image": "i1"}}}
    assert fitting(raw, untold) == untold, "it was stored before the type was told"


def test_resources_without_a_mending_and_templates_without_resources_stay() -> None:
    raw = {"resources": {"z": {"type": "T", "properties": {"size": 1}}}}
    assert mended_template(raw, MENDED) == raw
    assert mended_template({"version": 1}, MENDED) == {"version": 1}
