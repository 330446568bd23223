"""The search for secrets finds what is there."""

from __future__ import annotations

import base64
import json

import pytest

from tests.e2e.secret import found_in

SECRET = 'sé"cret\\of mine'


@pytest.mark.parametrize(
    "data",
    [
        SECRET.encode(),
        json.dumps({"a": SECRET}).encode(),
        json.dumps(json.dumps({"a": SECRET})).encode(),
        SECRET.encode("utf-16"),
        SECRET.encode().hex().encode(),
        base64.b64encode(SECRET.encode()),
        base64.b64encode(b"x" + SECRET.encode() + b"yz"),
        base64.b64encode(b"xy" + SECRET.encode()),
        base64.urlsafe_b64encode(json.dumps({"key": SECRET}).encode()),
    ],
)
def test_a_secret_is_found_in_whatever_form(data: bytes) -> None:
    assert found_in({"file": b"before" + data + b"after"}, [SECRET])


def test_what_is_no_secret_is_not_found() -> None:
    assert found_in({"file": b"nothing of the kind" * 100}, [SECRET]) == []
