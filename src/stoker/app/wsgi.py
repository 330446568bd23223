"""The API for another WSGI server: gunicorn, uWSGI and mod_wsgi load ``application`` from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.app.api_service import PROGRAM
from stoker.app.configuration import Configuration
from stoker.app.hosted import Hosted

if TYPE_CHECKING:
    from stoker.app.hosted import Front


def _front() -> Front:
    from stoker.app.front import api

    return api


application = Hosted(PROGRAM, Configuration.check_api, _front)
