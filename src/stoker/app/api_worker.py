"""One process that answers requests, a child of ``stoker-api``.

Its own two arguments, the host and the port, come before those of its parent.
"""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

from stoker.api.v1 import application
from stoker.app.api_service import PROGRAM
from stoker.app.bearing import asking
from stoker.app.hinting import hints
from stoker.app.listener import HttpServer, shared
from stoker.app.policy_file import policy
from stoker.app.service import LIBRARIES
from stoker.app.trustee import protected
from stoker.app.worker import opened, work

if TYPE_CHECKING:
    from contextlib import ExitStack
    from wsgiref.types import WSGIApplication

    from stoker.app.configuration import Configuration


def main() -> None:
    """Answer until told to end, and end the process."""
    host, port = sys.argv.pop(1), int(sys.argv.pop(1))

    def begin(configuration: Configuration, stack: ExitStack) -> None:
        api = _application(configuration, stack)
        listening = stack.enter_context(closing(shared(host, port)))
        server = HttpServer(listening, api)
        server.open()
        stack.callback(server.close)

    work(PROGRAM, begin)


def _application(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    allowed = policy(configuration.sources)
    if configuration.is_rpc:
        engines = asking(configuration, stack)
        api = application(engines.stacks, engines.catalog, allowed, configuration.api)
        return protected(api, LIBRARIES)
    parts = opened(configuration, stack)
    bell = hints(configuration, stack)
    return parts.application(bell.ring, allowed, configuration.api)


if __name__ == "__main__":
    main()
