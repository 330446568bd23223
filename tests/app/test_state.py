"""The state directory: who may use it, and what is kept there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from stoker.app import state as states
from stoker.app.state import (
    Unusable,
    hold,
    opened,
    password_from,
    remember_ports,
    remembered_ports,
    write_private,
)
from stoker.errors import Conflict

if TYPE_CHECKING:
    from pathlib import Path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_with_its_parents_and_closed_to_others(tmp_path: Path) -> None:
    state = opened(tmp_path / "a" / "b")
    assert mode(state.path) == 0o700


def test_one_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    assert mode(opened(tmp_path / "a").path) == 0o700


def test_a_path_that_cannot_be_a_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unusable, match="file"):
        opened(tmp_path / "file")


def test_a_second_holder_is_refused_with_the_id_of_the_first(tmp_path: Path) -> None:
    state = opened(tmp_path)
    descriptor = hold(state)
    try:
        with pytest.raises(Conflict, match=f"process {os.getpid()}"):
            hold(state)
    finally:
        os.close(descriptor)
    os.close(hold(state))


def test_it_waits_for_the_children_of_a_holder_that_is_gone(tmp_path: Path) -> None:
    state = opened(tmp_path)
    descriptor = hold(state)
    child = subprocess.Popen(
        (sys.executable, "-c", "import time; time.sleep(0.5)"), pass_fds=(descriptor,)
    )
    gone = subprocess.Popen((sys.executable, "-c", ""))
    gone.wait()
    state.lock.write_text(f"{gone.pid}\n")
    os.close(descriptor)
    os.close(hold(state))
    assert child.wait() == 0


def test_it_does_not_wait_for_them_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "ORPHAN_SECONDS", 0.1)
    state = opened(tmp_path)
    descriptor = hold(state)
    gone = subprocess.Popen((sys.executable, "-c", ""))
    gone.wait()
    state.lock.write_text(f"{gone.pid}\n")
    with pytest.raises(Conflict):
        hold(state)
    os.close(descriptor)


def test_a_private_file_is_replaced_as_a_whole_and_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new")
    assert path.read_text() == "new"
    assert mode(path) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


def test_the_password_hangs_on_the_key_alone_and_does_not_show_it() -> None:
    first, second = password_from(b"a" * 32), password_from(b"b" * 32)
    assert first == password_from(b"a" * 32)
    assert first != second
    assert len(first) >= 32


def test_ports_are_remembered(tmp_path: Path) -> None:
    state = opened(tmp_path)
    assert remembered_ports(state) == {}
    remember_ports(state, {"api": 1, "cfn": 2})
    assert remembered_ports(state) == {"api": 1, "cfn": 2}


def test_a_broken_memory_of_ports_is_no_memory(tmp_path: Path) -> None:
    state = opened(tmp_path)
    state.ports.write_text("{")
    assert remembered_ports(state) == {}
