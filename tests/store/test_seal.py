"""Sealing: what comes out is what went in, and nothing shows on the way."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.store.seal import KEY_BYTES, Sealer, WrongKey, key_from

KEY = bytes(range(KEY_BYTES))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_sealed_value_opens_to_itself(value: Any) -> None:
    sealer = Sealer(KEY)
    assert sealer.open(sealer.seal(value)) == value


def test_integers_beyond_64_bits_and_lone_surrogates_survive() -> None:
    sealer = Sealer(KEY)
    value = {"big": 2**80, "text": "\ud800"}
    assert sealer.open(sealer.seal(value)) == value


def test_a_sealed_value_shows_nothing_and_is_never_the_same_twice() -> None:
    sealer = Sealer(KEY)
    first, second = sealer.seal("s3cret-s3cret"), sealer.seal("s3cret-s3cret")
    assert b"s3cret" not in first
    assert first != second


def test_another_key_does_not_open_it() -> None:
    sealed = Sealer(KEY).seal(1)
    with pytest.raises(WrongKey, match="does not fit"):
        Sealer(KEY[::-1]).open(sealed)


def test_a_changed_byte_is_noticed() -> None:
    sealed = bytearray(Sealer(KEY).seal("value"))
    sealed[-1] ^= 1
    with pytest.raises(WrongKey):
        Sealer(KEY).open(bytes(sealed))


def test_equal_values_have_equal_digests_whatever_the_order_of_keys() -> None:
    sealer = Sealer(KEY)
    assert sealer.digest({"a": 1, "b": 2}) == sealer.digest({"b": 2, "a": 1})
    assert sealer.digest({"a": 1}) != sealer.digest({"a": 2})
    assert sealer.digest({"a": 1}) != Sealer(KEY[::-1]).digest({"a": 1})


def test_a_key_file_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(key_from, [path] * 32))
    assert keys == {path.read_bytes()}
    assert len(path.read_bytes()) == KEY_BYTES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_holds_no_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"")
    with pytest.raises(WrongKey, match="holds no key"):
        key_from(path)
