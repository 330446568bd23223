from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "SHA512"])
def test_digest(algorithm: str) -> None:
    wanted = hashlib.new(algorithm.lower(), "aé".encode("latin-1")).hexdigest()
    assert value_of({"digest": [algorithm, "aé"]}, "2015-04-30") == wanted


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["sha256", "€"], "not in latin-1"),
        (["sha3", "a"], "no algorithm"),
        (["shake_128", "a"], "no algorithm"),
        ([1, "a"], "the algorithm must be text"),
        (["md5", 1], "the value must be text"),
        (["md5"], "too few"),
    ],
)
def test_digest_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"digest": args}).text
