from __future__ import annotations

import datetime as dt
import gc
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Kind
from stoker.lang.events import MAX_DEPTH
from stoker.lang.source import from_mapping, parse
from tests.lang.writing import only_problem, summary


def read(text: str) -> Any:
    return parse(text, "f").value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2013-05-23", "2013-05-23"),
        ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
        ("yes", True),
        ("Off", False),
        ("~", None),
        ("", None),
        ("0777", 511),
        ("0x1f", 31),
        ("12:30:45", 45045),
        ("1_000", 1000),
        ("1e3", "1e3"),
        ("1.5", 1.5),
        ("'1'", "1"),
        ('"yes"', "yes"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("!!float 1", 1.0),
        ("! 5", "5"),
        ("<<", "<<"),
        ("=", "="),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_scalars_are_those_of_yaml_1_1_but_timestamps_stay_text(text: str, value: Any) -> None:
    assert read(f"k: {text}") == {"k": value}


def test_keys_come_out_as_json_writes_them() -> None:
    text = "{80: a, yes: b, ~: c, 1.5: d, 2013-05-23: e}"
    assert list(read(text)) == ["80", "true", "null", "1.5", "2013-05-23"]


def test_of_equal_keys_the_last_one_counts() -> None:
    assert read("a: 1\nb: 2\na: 3") == {"a": 3, "b": 2}
    assert read('{"a": 1, "a": 3}') == {"a": 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x {k: 1}\nb: *x", {"a": {"k": 1}, "b": {"k": 1}}),
        ("a: &x {k: 1, l: 1}\nb: {<<: *x, k: 2}", {"a": {"k": 1, "l": 1}, "b": {"k": 2, "l": 1}}),
        ("b: {<<: [{k: 1}, {k: 2, l: 3}], m: 4}", {"b": {"k": 1, "l": 3, "m": 4}}),
        ("- <<\n- [<<]", ["<<", ["<<"]]),
    ],
)
def test_aliases_and_merges(text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("a:\n\t- b", "cannot start any token", "2:1"),
        ("a: 'x", "unexpected end", "1:6"),
        ("a: b: c", "mapping values are not allowed", "1:5"),
        ("a: *b", "names nothing that is complete", "1:4"),
        ("a: &b [*b]", "names nothing that is complete", "1:8"),
        ("a:\n  ? [1]\n  : 2", "must be a scalar", "2:5"),
        ("a:\n- !Ref b", "the YAML tag '!Ref'", "2:3"),
        ("a: !!set {b}", "has no meaning in a template", "1:4"),
        ("a: !!binary aGk=", "has no meaning in a template", "1:4"),
        ("a: !!int x", "invalid literal", "1:4"),
        ("a: !!bool x", "is not what its YAML tag", "1:4"),
        ("a: 1\n---\nb: 2", "only one YAML document", "2:1"),
        ("é: 1\nb: \x07", "control characters", "2:4"),
        ("a: \ud800", "not valid text", "1:1"),
        ("a: {<<: 1}", "takes a map or a list of maps", "1:9"),
        ("a: 0b_", "invalid literal", "1:4"),
        ('{"a": }x', "not valid YAML", "1:8"),
    ],
)
def test_a_fault_has_a_line_and_a_column(text: str, words: str, place: str) -> None:
    problem = only_problem(parse, text, "f")
    assert words in problem.text
    assert summary(problem) == (Kind.TEMPLATE, "", place)


def test_nesting_is_bounded() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    for text in ("[" * (MAX_DEPTH + 1), '{"a":' * 5000 + "1" + "}" * 5000):
        assert "at most 100 deep" in only_problem(parse, text, "f").text
    deep: Any = {}
    for _ in range(MAX_DEPTH + 2):
        deep = {"a": deep}
    assert "at most 100 deep" in only_problem(from_mapping, deep, "f").text


def test_aliases_cannot_blow_a_document_up() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "aliases blow this up" in only_problem(parse, "\n".join(lines), "f").text


def test_json_is_read_as_json() -> None:
    text = '{\n\t"a": 1e3, "b": "\\ud83d\\ude00", "c": ["\\/"],\n "d": {"e": null}}'
    assert read(text) == {"a": 1000.0, "b": "😀", "c": ["/"], "d": {"e": None}}


def test_json_has_places_where_yaml_can_read_it_too() -> None:
    assert str(parse('{"a":\n {"b": 1}}', "f").places["a", "b"]) == "f:2:3"
    assert parse('{"a": "\\ud83d\\ude00"}', "f").places.nearest(("a",)) is None


def test_every_value_has_its_place() -> None:
    text = "a: 1\nb:\n  - x\n  - {c: 2}\nd: &x {e: 3}\nf: *x\n"
    places = parse(text, "f").places
    assert {path: f"{at.line}:{at.column}" for path, at in places.items()} == {
        (): "1:1",
        ("a",): "1:1",
        ("b",): "2:1",
        ("b", 0): "3:5",
        ("b", 1): "4:5",
        ("b", 1, "c"): "4:6",
        ("d",): "5:1",
        ("d", "e"): "5:8",
        ("f",): "6:1",
        ("f", "e"): "5:8",
    }
    assert len(places) == 10
    assert places.get(("b", 2)) is None
    assert places.get(("a", "z")) is None
    assert str(places.nearest(("b", 1, "nope", 3))) == "f:4:5"
    assert str(places.under(("b", 1))["c",]) == "f:4:6"
    with pytest.raises(KeyError):
        places["nope",]


def test_what_was_never_text_has_no_places() -> None:
    odd: Any = {"a": ({"b": 1},), 5: None}
    source = from_mapping(odd, "f")
    assert source.value == {"a": [{"b": 1}], "5": None}
    assert list(source.places) == []
    assert source.places.nearest(("a",)) is None


def test_what_json_cannot_hold_is_refused() -> None:
    problem = only_problem(from_mapping, {"a": [dt.date(2013, 5, 23)]}, "f")
    assert summary(problem) == (Kind.TEMPLATE, "a.0", "")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: .nan", "1:4"),
        ("a: [-.inf]", "1:5"),
        ('a: "\\0"', "1:4"),
        ('{"a": NaN}', "1:2"),
        ('{"a":\n "\\u0000"}', ""),
        ('{"a": "\\ud800"}', ""),
        ('{"\\ud800": 1}', ""),
        ('{"a": 1e999}', "1:2"),
    ],
)
def test_what_a_database_cannot_hold_is_refused(text: str, place: str) -> None:
    problem = only_problem(parse, text, "f")
    assert "cannot stand in a template" in problem.text
    assert (problem.kind, summary(problem)[2]) == (Kind.TEMPLATE, place)
    if text[0] == "{":
        assert only_problem(from_mapping, json.loads(text), "f").text == problem.text


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
SIGNS = st.text("abc \n'\":-[]{}#é~0", max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_json_comes_out_as_it_went_in(value: Any) -> None:
    assert read(json.dumps(value)) == value


@given(st.dictionaries(SIGNS, st.lists(SIGNS | st.none() | FLOATS, max_size=3), max_size=4))
def test_yaml_comes_out_as_pyyaml_reads_it(value: Any) -> None:
    text = yaml.safe_dump(value)
    assert read(text) == yaml.safe_load(text) == value


def test_the_collector_runs_again_after_a_large_document() -> None:
    only_problem(parse, "a: [" + "1, " * 100_000, "f")
    assert gc.isenabled()
