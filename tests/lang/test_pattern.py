from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.lang.pattern import full_match

PATTERNS = [
    "[a-zA-Z0-9]+",
    "(a+)+$",
    r"(?=.*[A-Z])(?=.*\d).{3,}",
    "a{2,4}b?",
    r"^[^\s]*$",
    "(?i)ab[c-e]",
    r"\bfoo\b.*",
    "(?!x).*",
    "((?!ab).)*",
    "(?<=a)b|ab",
    ".(?<!b)c|bc",
    "a|b|",
    r"[\w.-]+@\w+",
    r"\d{1,3}(\.\d{1,3}){3}",
    "(a|ab)(c|bcd)",
    "x*?y",
    "(?m)^a$\\n^b$",
    "[^a]",
    "(a*)*",
    "(?s).*",
    r"\Aab\Z",
    "(?i)[^a-c]x",
    "(?i:A)b",
    r"(?a)\w",
    r".\B.",
    r"\D\W\S",
    "$",
    "[]a]",
    "",
]
TEXTS = ["", "a", "ab", "abc", "aaab", "Ab1", "AbC", "foo bar", "x", "xy", "1.2.3.4", "a@b"]
TEXTS += ["a\nb", "abcd", "aaaa!", "\n", "ABD", "zx", "Ax", "é", "bc", "]", "-. "]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_means_what_it_means_in_python(pattern: str) -> None:
    for text in TEXTS:
        assert full_match(pattern, text) == bool(re.fullmatch(pattern, text)), text


@given(st.from_regex(r"[ab.]([ab|.]|[ab][*+?]|\([ab]*\)){0,6}", fullmatch=True), st.text("ab\n"))
def test_any_pattern_means_what_it_means_in_python(pattern: str, text: str) -> None:
    assert full_match(pattern, text) == bool(re.fullmatch(pattern, text))


def test_what_would_take_python_for_ever_is_done_at_once() -> None:
    assert not full_match("(a+)+", "a" * 5000 + "!")
    assert full_match("(a|a)*b", "a" * 5000 + "b")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", "not a regular expression"),
        (r"(a)\1", "not supported"),
        ("(?>a)b", "not supported"),
        ("(a)?(?(1)b|c)", "not supported"),
        ("((a{100}){100}){100}", "too large"),
        ("(" * 2000 + ")" * 2000, "too deep or too large"),
    ],
)
def test_a_pattern_that_cannot_be_run_is_told(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        full_match(pattern, "a")


def test_a_pattern_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(ValueError, match="takes too long"):
        full_match("(?:(?=.*b).)*", "a" * 5000 + "b")
