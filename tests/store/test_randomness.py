from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from stoker.store.randomness import random_bytes


def test_no_portion_is_given_twice_whatever_its_size() -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(random_bytes, [12, 16, 5000] * 1000))
    assert {len(each) for each in drawn} == {12, 16, 5000}
    assert len(set(drawn)) == len(drawn)


def test_a_forked_process_draws_bytes_of_its_own() -> None:
    random_bytes(1)  # there is a page that a child could inherit
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(sending, random_bytes(16))
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        assert pipe.read() != random_bytes(16)
    assert os.waitpid(child, 0)[1] == 0
