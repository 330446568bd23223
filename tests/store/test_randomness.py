from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from stoker.store.randomness import random_bytes

FORKED = """
import os
from stoker.store.randomness import random_bytes
random_bytes(1)  # there is a page that a child could inherit
receiving, sending = os.pipe()
child = os.fork()
if child == 0:
    os.write(sending, random_bytes(16))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(os.read(receiving, 16).hex(), random_bytes(16).hex())
"""


def test_no_portion_is_given_twice_whatever_its_size() -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(random_bytes, [12, 16, 5000] * 1000))
    assert {len(each) for each in drawn} == {12, 16, 5000}
    assert len(set(drawn)) == len(drawn)


def test_a_forked_process_draws_bytes_of_its_own() -> None:
    done = subprocess.run(
        (sys.executable, "-c", FORKED), capture_output=True, text=True, check=True
    )
    childs, parents = done.stdout.split()
    assert len(childs) == len(parents) == 32
    assert childs != parents
