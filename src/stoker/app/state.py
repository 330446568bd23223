"""The state directory of ``stoker serve``: what is where, and who may use it.

Rule: the directory and all that is in it are for its owner alone, and one ``serve`` at a time has
it: the lock is held by the process *and its children*, so that it is free only when all are gone.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from stoker.errors import Conflict, StokerError

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
ORPHAN_SECONDS = 5.0
"""How long the children of a killed ``serve`` may take to notice that it is gone."""


class Unusable(StokerError):
    """The directory cannot hold Stoker's state."""


@dataclass(frozen=True, slots=True)
class StateDirectory:
    """The files of one state directory."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / "stoker.db"

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self.database}"

    @property
    def devcloud(self) -> Path:
        return self.path / "devcloud.db"

    @property
    def key(self) -> Path:
        return self.path / "key"

    @property
    def clouds_yaml(self) -> Path:
        return self.path / "clouds.yaml"

    @property
    def log(self) -> Path:
        return self.path / "stoker.log"

    @property
    def devcloud_log(self) -> Path:
        return self.path / "devcloud.log"

    @property
    def owner(self) -> Path:
        return self.path / "owner.json"

    @property
    def ports(self) -> Path:
        return self.path / "ports.json"

    @property
    def lock(self) -> Path:
        return self.path / "lock"


def opened(path: Path) -> StateDirectory:
    """Return the state directory at ``path``, made where it is missing, closed to others."""
    path = path.expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=PRIVATE_DIRECTORY)
        path.chmod(PRIVATE_DIRECTORY)
    except OSError as error:
        raise Unusable(f"cannot keep the state in {path}: {error.strerror}") from error
    return StateDirectory(path)


def hold(state: StateDirectory) -> int:
    """Take the lock and return its descriptor, for the children to inherit.

    Raises :class:`Conflict` with the holder's process id when another ``serve`` runs here.
    """
    descriptor = os.open(state.lock, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    deadline = time.monotonic() + ORPHAN_SECONDS
    while not _locked(descriptor):
        holder = _holder(descriptor)
        # What was killed left children that end by themselves as soon as they notice: no event
        # tells a stranger of it, so this looks again until the deadline.
        if _lives(holder) or time.monotonic() > deadline:
            os.close(descriptor)
            raise Conflict(
                f"another `stoker serve` (process {holder}) uses {state.path}; "
                "end it, or choose another directory with --state"
            )
        time.sleep(0.02)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> int:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else 0


def _lives(process: int) -> bool:
    """Tell whether it runs; a holder that has not yet written its id does."""
    if process == 0:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def password_from(key: bytes) -> str:
    """Return the password of the embedded cloud's users: always the same for the same key."""
    return hmac.new(key, b"devcloud password", hashlib.sha256).hexdigest()[:32]


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 as a whole: a reader sees the old text or the new one."""
    temporary = path.with_name(f".{path.name}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.chmod(PRIVATE_FILE)
    temporary.replace(path)


def remembered_ports(state: StateDirectory) -> dict[str, int]:
    """Return the ports of the last run by name; empty when there was none."""
    try:
        found = json.loads(state.ports.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return {str(name): int(port) for name, port in found.items()}


def remember_ports(state: StateDirectory, ports: dict[str, int]) -> None:
    """Keep the ports for the next run."""
    write_private(state.ports, json.dumps(ports) + "\n")
