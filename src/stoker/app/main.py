"""The entry point ``stoker``: hands the command line what it may not know by itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stoker.cli.main import program, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stoker.cli.checking import Checker
    from stoker.cli.options import ServeOptions
    from stoker.cli.session import Session


def main() -> None:
    """Run the command line."""
    run(program(_serve, (sys.executable, "-m", "stoker.app"), _connect, _check))


def _serve(options: ServeOptions) -> None:
    from stoker.app.serve import serve

    serve(options)


def _check(plugin_dirs: Sequence[Path]) -> Checker:
    from stoker.app.checking import Checking

    return Checking(plugin_dirs)


def _connect(cloud: str | None, region: str | None) -> Session:
    from stoker.app.connection import connect

    return connect(cloud, region)
