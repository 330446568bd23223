from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from stoker.engine.processes import has_ended, process_of

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of processes")


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield child
        child.kill()


def test_a_process_that_lives_has_not_ended() -> None:
    assert process_of(os.getpid()) == process_of(os.getpid())
    assert not has_ended(process_of(os.getpid()))


def test_one_that_was_killed_has_ended(child: subprocess.Popen[bytes]) -> None:
    name = process_of(child.pid)
    assert not has_ended(name)
    child.kill()
    child.wait()
    assert has_ended(name)
    assert process_of(child.pid) is None


def test_another_one_with_its_number_is_not_taken_for_it() -> None:
    name = process_of(os.getpid())
    assert name is not None
    space, started = name.rsplit("/", 1)
    assert has_ended(f"{space}/{int(started) - 1}")


def test_of_other_machines_and_containers_nothing_is_known(
    child: subprocess.Popen[bytes],
) -> None:
    name = process_of(child.pid)
    assert name is not None
    child.kill()
    child.wait()
    boot, space, rest = name.split("/", 2)
    assert not has_ended(f"{'0' * len(boot)}/{space}/{rest}")
    assert not has_ended(f"{boot}/{int(space) + 1}/{rest}")
    assert not has_ended(None)
