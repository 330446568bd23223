"""What the command line asks for, as values that the wiring takes.

Rule: a port of 0 means any free one; paths are as given, not yet made absolute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """``until_eof``: end also when standard input does (whoever started us is gone).
    ``plugin_dirs`` hold resource types written for Heat."""

    state: Path
    port: int = 8004
    cfn_port: int = 8000
    devcloud_port: int = 5000
    until_eof: bool = False
    plugin_dirs: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """``template`` None is the example that comes with Stoker."""

    template: Path | None = None


Serve = Callable[[ServeOptions], None]
"""Run until told to end; raises a :class:`stoker.errors.UserError` when it cannot start."""

READY = "Stoker is ready"
"""How the first line of ``serve``'s output begins, once it is; programs wait for that."""
