"""``stoker-engine``: engine processes under one parent."""

from __future__ import annotations

import logging
import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from stoker.app.crew import supervise
from stoker.app.service import configured, run
from stoker.engine.others import bury_process
from stoker.store.database import Database, DatabaseError
from stoker.store.seal import Sealer

if TYPE_CHECKING:
    from stoker.app.configuration import Configuration

PROGRAM = "stoker-engine"
_LOG = logging.getLogger("stoker.app.engine_service")  # also when it is the program


def main() -> None:
    """Run until a signal, and end the process."""
    run(PROGRAM, _serve)


def _serve() -> None:
    arguments = sys.argv[1:]
    configuration = configured(PROGRAM, arguments)
    configuration.check()
    command = (sys.executable, "-m", "stoker.app.engine_worker", *arguments)
    supervise(command, configuration.engine_workers, partial(_bury, configuration))


def _bury(configuration: Configuration, process: str) -> None:
    """Have others go on at once with what a worker held."""
    try:
        with closing(Database(configuration.url, Sealer(configuration.key))) as database:
            bury_process(database, process)
    except DatabaseError as error:
        _LOG.warning("the rows of a dead worker are found later: %s", error.orig)


if __name__ == "__main__":
    main()
