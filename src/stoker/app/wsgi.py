"""The API for another WSGI server: gunicorn, uWSGI and mod_wsgi load ``application`` from here.

Rule: what the files say is checked when this is loaded. What the API stands on is opened by each
process for itself at its first request, for a server may fork after it has loaded this.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from stoker.app.api_service import PROGRAM
from stoker.app.service import configured

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.app.configuration import Configuration

FILES = "STOKER_CONFIG_FILES"
"""The environment's word for configuration files, with colons between; else the usual ones."""


class Application:
    """The API, which opens what it stands on when it is first asked; raises Misconfigured."""

    def __init__(self) -> None:
        files = [each for each in os.environ.get(FILES, "").split(os.pathsep) if each]
        arguments = [word for each in files for word in ("--config-file", each)]
        self._configuration: Configuration = configured(PROGRAM, arguments)
        self._configuration.check(database=not self._configuration.is_rpc)
        self._opening = threading.Lock()
        self._api: WSGIApplication | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        return self._opened()(environ, start_response)

    def _opened(self) -> WSGIApplication:
        with self._opening:
            if self._api is None:
                from stoker.app.front import api

                with ExitStack() as stack:
                    self._api = api(self._configuration, stack)
                    atexit.register(stack.pop_all().close)
        return self._api


application = Application()
