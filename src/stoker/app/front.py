"""The API of an installation as one WSGI application, whoever serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.v1 import application
from stoker.app.bearing import asking
from stoker.app.hinting import hints
from stoker.app.policy_file import policy
from stoker.app.service import LIBRARIES
from stoker.app.trustee import protected
from stoker.app.worker import opened

if TYPE_CHECKING:
    from contextlib import ExitStack
    from wsgiref.types import WSGIApplication

    from stoker.app.configuration import Configuration


def api(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    """Return the API; ``stack`` closes what it stands on."""
    allowed = policy(configuration.sources)
    if configuration.is_rpc:
        engines = asking(configuration, stack)
        nouns = (engines.stacks, engines.catalog, engines.software)
        inner = application(*nouns, allowed, configuration.api)
        return protected(inner, LIBRARIES)
    parts = opened(configuration, stack)
    bell = hints(configuration, stack)
    return parts.application(bell.ring, allowed, configuration.api)
