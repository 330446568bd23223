from __future__ import annotations

from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of


@pytest.mark.parametrize(
    ("parts", "url"),
    [
        ({"scheme": "http", "host": "h", "port": 80, "path": "/a"}, "http://h:80/a"),
        ({"scheme": "http", "host": "h", "path": "a"}, "http://h/a"),
        ({"host": "::1", "port": "443"}, "//[::1]:443"),
        ({"host": "[::1]"}, "//[::1]"),
        ({"host": "a[b]"}, "//a%5Bb%5D"),
        ({"host": "h", "port": "080"}, "//h:080"),
        ({"host": "h", "path": "/a%20@"}, "//h/a%2520%40"),
        ({"scheme": "http"}, "http://"),
        ({"scheme": "http", "path": "a"}, "http:///a"),
        ({"scheme": "http", "path": "//a"}, "http://a"),
        ({"scheme": "urn", "path": "a"}, "urn:a"),
        ({"host": "h", "username": "a b", "password": "p@:/"}, "//a%20b:p%40%3A%2F@h"),
        ({"path": "/x", "query": {"a": "b c", "d": "/e"}}, "/x?a=b+c&d=/e"),
        ({"fragment": "f g"}, "#f%20g"),
        ({"host": "h", "port": None, "query": None}, "//h"),
        ({"host": "h", "port": ""}, "//h"),
        ({}, ""),
    ],
)
def test_make_url(parts: Any, url: str) -> None:
    assert value_of({"make_url": parts}) == url


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"hots": "h"}, "does not know"),
        ({"host": "h", "port": 0}, "1 to 65535"),
        ({"host": "h", "port": 65536}, "1 to 65535"),
        ({"host": "h", "port": "http"}, "must be a whole number"),
        ({"query": "a=b"}, "query must be a map"),
        ({"scheme": 1}, "the scheme must be text"),
        ({"scheme": "a:b"}, "must not hold a colon"),
        ([], "needs a map"),
    ],
)
def test_make_url_says_what_is_wrong(parts: Any, text: str) -> None:
    assert text in only_problem(value_of, {"make_url": parts}).text
