"""Which process one is, for others to tell whether it has ended.

Rule: only what this machine's kernel proves is told. Of another machine's processes, and of
another container's on this one, nothing is known.
"""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")
_START = 19
"""Where the moment of its start is in a process's status, after its name."""


def process_of(pid: int) -> str | None:
    """Return what tells a process apart from every other one of any machine; None: unknown.

    It is the start of the machine, the namespace of the number, the number, and its start.
    """
    try:
        space = _space()
    except OSError:  # a system that tells nothing of the sort
        return None
    started = _started(pid)
    return None if started is None else f"{space}/{pid}/{started}"


def has_ended(process: str | None) -> bool:
    """Tell whether that process is known to be no more, and to do nothing more."""
    if process is None:
        return False
    space, pid, started = process.rsplit("/", 2)
    try:
        is_here = space == _space()
    except OSError:
        return False
    return is_here and (not _is_there(int(pid)) or _started(int(pid)) not in (started, None))


def _space() -> str:
    """Return within what a number of a process is one process's at a time; raises OSError."""
    if (_PROC / "self").readlink() != Path(str(os.getpid())):
        raise OSError("these are another container's processes")
    boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{(_PROC / 'self/ns/pid').stat().st_ino}"


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str | None:
    """Return when it was started, in ticks since the machine was; None where that is hidden."""
    try:
        status = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return status.rpartition(")")[2].split()[_START]
