"""``stoker-api``: processes that answer requests at one port, under one parent."""

from __future__ import annotations

import logging
import sys
from contextlib import closing

from stoker.app.crew import supervise
from stoker.app.listener import port_of, reserved
from stoker.app.service import configured, run

PROGRAM = "stoker-api"
_LOG = logging.getLogger("stoker.app.api_service")  # also when it is the program


def main() -> None:
    """Run until a signal, and end the process."""
    run(PROGRAM, _serve)


def _serve() -> None:
    arguments = sys.argv[1:]
    configuration = configured(PROGRAM, arguments)
    configuration.check(database=not configuration.is_rpc)
    options = configuration["heat_api"]
    host = options["bind_host"]
    # The port is ours as long as the parent lives, whatever becomes of its children.
    with closing(reserved(host, options["bind_port"])) as port:
        number = port_of(port)
        _LOG.info("port %d of %s", number, host)
        command = (sys.executable, "-m", "stoker.app.api_worker", host, str(number), *arguments)
        supervise(command, configuration.api_workers)


if __name__ == "__main__":
    main()
