"""``stoker-engine``: engine processes under one parent."""

from __future__ import annotations

import sys

from stoker.app.crew import supervise
from stoker.app.service import configured, run

PROGRAM = "stoker-engine"


def main() -> None:
    """Run until a signal, and end the process."""
    run(PROGRAM, _serve)


def _serve() -> None:
    arguments = sys.argv[1:]
    configuration = configured(PROGRAM, arguments)
    configuration.check()
    command = (sys.executable, "-m", "stoker.app.engine_worker", *arguments)
    supervise(command, configuration.engine_workers)


if __name__ == "__main__":
    main()
