"""What the command line asks for, as values that the wiring takes.

Rule: a port of 0 means any free one; paths are as given, not yet made absolute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """``until_eof``: end also when standard input does (whoever started us is gone).
    ``plugin_dirs`` hold resource types written for Heat. ``cloud`` names an account of
    clouds.yaml; None is the embedded cloud."""

    state: Path
    port: int = 8004
    cfn_port: int = 8000
    devcloud_port: int = 5000
    until_eof: bool = False
    plugin_dirs: tuple[Path, ...] = ()
    cloud: str | None = None


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """``template`` None is the example that comes with Stoker."""

    template: Path | None = None


Serve = Callable[[ServeOptions], None]
"""Run until told to end; raises a :class:`stoker.errors.UserError` when it cannot start."""

READY = "Stoker is ready"
"""How the first line of ``serve``'s output begins, once it is; programs wait for that."""


class Output(StrEnum):
    """In which form a command answers."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Target:
    """Which cloud is spoken to, and how is answered; None takes what the environment implies."""

    cloud: str | None = None
    region: str | None = None
    output: Output = Output.TEXT


@dataclass(frozen=True, slots=True)
class Waiting:
    """Whether an operation is watched to its end, and for how many minutes at most."""

    wanted: bool = True
    minutes: float | None = None

    @property
    def seconds(self) -> float | None:
        return None if self.minutes is None else self.minutes * 60


@dataclass(frozen=True, slots=True)
class DeployOptions:
    """``parameters`` and ``parameter_files`` as given: ``key=value``, ``key=file``.

    ``rollback`` None keeps what the stack has; a new one has none. ``timeout`` is in minutes.
    """

    name: str
    template: str | None = None
    environments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    parameter_files: tuple[str, ...] = ()
    tags: str | None = None
    timeout: int | None = None
    rollback: bool | None = None
    existing: bool = False
    converge: bool = False
