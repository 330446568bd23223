"""The API of an installation as one WSGI application, whoever serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api import cfn as cfn_api
from stoker.api.v1 import application
from stoker.app.bearing import asking
from stoker.app.cross_origin import for_origins
from stoker.app.hinting import hints
from stoker.app.policy_file import policy
from stoker.app.service import LIBRARIES
from stoker.app.signing import prover
from stoker.app.trustee import protected
from stoker.app.worker import opened
from stoker.clouds.connect import Clouds

if TYPE_CHECKING:
    from contextlib import ExitStack
    from wsgiref.types import WSGIApplication

    from stoker.app.configuration import Configuration


def api(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    """Return the API; ``stack`` closes what it stands on."""
    return for_origins(_api(configuration, stack), LIBRARIES)


def _api(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    allowed = policy(configuration.sources)
    if configuration.is_rpc:
        engines = asking(configuration, stack)
        nouns = (engines.stacks, engines.catalog, engines.software)
        inner = application(*nouns, allowed, configuration.api)
        return protected(inner, LIBRARIES)
    parts = opened(configuration, stack)
    bell = hints(configuration, stack)
    return parts.application(bell.ring, allowed, configuration.api)


def cfn(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    """Return the CloudFormation API; ``stack`` closes what it stands on."""
    return for_origins(_cfn(configuration, stack), LIBRARIES)


def _cfn(configuration: Configuration, stack: ExitStack) -> WSGIApplication:
    allowed, settings = policy(configuration.sources), configuration.api
    if not configuration.is_rpc:
        parts = opened(configuration, stack)
        bell = hints(configuration, stack)
        return parts.cfn(bell.ring, allowed, settings)
    engines = asking(configuration, stack)
    inner = cfn_api.application(engines.stacks, engines.change_sets, allowed, settings)
    clouds = Clouds(configuration.clouds)
    stack.callback(clouds.close)
    prove = prover(clouds, configuration.key_checker)
    return cfn_api.signed(inner, protected(inner, LIBRARIES), prove, settings)
