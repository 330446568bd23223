"""A child of ``stoker-engine`` or ``stoker-api``, from start to end.

Rule: what cannot work whenever it is started ends with a status that says so; a database that is
away for now ends it with another one, and its parent starts it again.
"""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from stoker.app.ending import Ending
from stoker.app.installation import Parts, Plan
from stoker.app.service import HOPELESS, LIBRARIES, check_version, configured, reopen_log, run
from stoker.app.trustee import TrusteeAccess
from stoker.store.database import DatabaseError
from stoker.store.rotation import check_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.app.configuration import Configuration

    Begin = Callable[[Configuration, ExitStack], None]

AWAY = 75
"""How a worker ends that may start again later (EX_TEMPFAIL)."""
_LOG = logging.getLogger(__name__)


def work(program: str, begin: Begin) -> None:
    """Begin, wait to be told to end, end in reverse order what was begun, and the process."""
    run(program, lambda: _try(program, begin), failed=HOPELESS)


def _try(program: str, begin: Begin) -> None:
    configuration = configured(program, sys.argv[1:])
    try:
        _work(program, configuration, begin)
    except DatabaseError as error:
        _LOG.error("the database does not answer: %s", error.orig)
        sys.exit(AWAY)


def opened(configuration: Configuration, stack: ExitStack) -> Parts:
    """Return what stands on the database, which ``stack`` closes; raises what is wrong with it."""
    parts = Parts(_plan(configuration))
    stack.callback(parts.close)
    check_version(parts.database)
    check_key(parts.database)
    return parts


def _work(program: str, configuration: Configuration, begin: Begin) -> None:
    ending = Ending()
    ending.on_service_signals(reopen_log, patient=True)
    ending.on_end_of_input()
    with ExitStack() as stack:
        begin(configuration, stack)
        _LOG.info("%s is ready", program)
        ending.wait()
        _LOG.info("ending")
    _LOG.info("%s has ended", program)


def _plan(configuration: Configuration) -> Plan:
    return Plan(
        configuration.url,
        configuration.key,
        _access(configuration),
        configuration.settings,
        configuration.plugin_dirs,
        configuration.former_keys,
        configuration.yaql,
    )


def _access(configuration: Configuration) -> TrusteeAccess:
    user, clouds = configuration.user, configuration.clouds
    key_checker, method = configuration.key_checker, configuration.deferred_auth_method
    return TrusteeAccess(user, clouds, LIBRARIES, key_checker, method)
