"""One process that answers requests, a child of ``stoker-api``.

Its own two arguments, the host and the port, come before those of its parent.
"""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

from stoker.app.api_service import PROGRAM
from stoker.app.front import api
from stoker.app.listener import HttpServer, shared
from stoker.app.worker import work

if TYPE_CHECKING:
    from contextlib import ExitStack

    from stoker.app.configuration import Configuration


def main() -> None:
    """Answer until told to end, and end the process."""
    host, port = sys.argv.pop(1), int(sys.argv.pop(1))

    def begin(configuration: Configuration, stack: ExitStack) -> None:
        answering = api(configuration, stack)
        listening = stack.enter_context(closing(shared(host, port)))
        server = HttpServer(listening, answering, configuration.tls)
        server.open()
        stack.callback(server.close)

    work(PROGRAM, begin)


if __name__ == "__main__":
    main()
