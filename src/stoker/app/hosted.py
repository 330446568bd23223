"""An API within another WSGI server.

Rule: what the files say is checked when it is made. What the API stands on is opened by each
process for itself at its first request, for a server may fork after it has loaded this.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from stoker.app.service import configured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.app.configuration import Configuration

    Front = Callable[[Configuration, ExitStack], WSGIApplication]

FILES = "STOKER_CONFIG_FILES"
"""The environment's word for configuration files, with colons between; else the usual ones."""


class Hosted:
    """An API that opens what it stands on when it is first asked; raises Misconfigured.

    ``front`` gives what makes the API: it is slow to import.
    """

    def __init__(
        self, program: str, check: Callable[[Configuration], None], front: Callable[[], Front]
    ) -> None:
        files = [each for each in os.environ.get(FILES, "").split(os.pathsep) if each]
        arguments = [word for each in files for word in ("--config-file", each)]
        self._configuration = configured(program, arguments)
        check(self._configuration)
        self._front = front
        self._opening = threading.Lock()
        self._api: WSGIApplication | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        return self._opened()(environ, start_response)

    def _opened(self) -> WSGIApplication:
        with self._opening:
            if self._api is None:
                with ExitStack() as stack:
                    self._api = self._front()(self._configuration, stack)
                    atexit.register(stack.pop_all().close)
        return self._api
