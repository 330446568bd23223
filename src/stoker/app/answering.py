"""A program that answers requests at one port: a parent that keeps the port, and its processes.

Rule: the port is ours as long as the parent lives, whatever becomes of its children.
"""

from __future__ import annotations

import logging
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from stoker.app.crew import supervise
from stoker.app.garbage import exempt_what_is_loaded
from stoker.app.listener import HttpServer, port_of, reserved, shared
from stoker.app.worker import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from wsgiref.types import WSGIApplication

    from stoker.app.configuration import Configuration

_LOG = logging.getLogger(__name__)


def answer_with(configuration: Configuration, section: str, worker: str) -> None:
    """Run processes of the module ``worker`` until a signal; ``section`` has their options."""
    options = configuration[section]
    host = options["bind_host"]
    with closing(reserved(host, options["bind_port"], section)) as port:
        number = port_of(port)
        _LOG.info("port %d of %s", number, host)
        command = (sys.executable, "-m", worker, host, str(number), *sys.argv[1:])
        supervise(command, configuration.workers_of(section))


def answer(
    program: str, section: str, front: Callable[[Configuration, ExitStack], WSGIApplication]
) -> None:
    """Be one of the processes: answer until told to end, and end the process.

    Its own two arguments, the host and the port, come before those of its parent.
    """
    host, port = sys.argv.pop(1), int(sys.argv.pop(1))

    def begin(configuration: Configuration, stack: ExitStack) -> None:
        answering = front(configuration, stack)
        listening = stack.enter_context(closing(shared(host, port)))
        server = HttpServer(listening, answering, configuration.tls_of(section))
        exempt_what_is_loaded()
        server.open()
        stack.callback(server.close)

    work(program, begin)
