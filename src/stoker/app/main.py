"""The entry point ``stoker``: hands the command line what it may not know by itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stoker.cli.main import program, run

if TYPE_CHECKING:
    from stoker.cli.options import ServeOptions


def main() -> None:
    """Run the command line."""
    run(program(_serve, (sys.executable, "-m", "stoker.app")))


def _serve(options: ServeOptions) -> None:
    from stoker.app.serve import serve

    serve(options)
