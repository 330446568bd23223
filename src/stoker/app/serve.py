"""``stoker serve``: API and engine beside a cloud, from start to a clean end.

Rule: what is started is ended in reverse order, however this ends; everything that must outlive
the process is in the state directory.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from stoker.app.devcloud import CloudDown
from stoker.app.doors import open_doors
from stoker.app.ending import Ending
from stoker.app.greeting import greeting
from stoker.app.ground import Ground
from stoker.app.listener import HttpServer
from stoker.app.log import log_to
from stoker.app.proxy import bypass_proxies
from stoker.app.state import hold, opened
from stoker.store.seal import key_from

if TYPE_CHECKING:
    from stoker.app.installation import Installation
    from stoker.cli.options import ServeOptions

_LOG = logging.getLogger(__name__)


def serve(options: ServeOptions) -> None:
    """Run until a signal; raises a StokerError when something cannot start or stay up."""
    begun = time.monotonic()
    os.umask(0o077)
    bypass_proxies()
    ending = Ending()
    ending.on_signals()
    if options.until_eof:
        ending.on_end_of_input()
    with ExitStack() as stack:
        ground = _ground(options, ending, stack)
        _answer(_installation(options, ground), ground)
        _LOG.info("ready: %s", ground.doors.ports())
        _say(greeting(ground, options.cloud, time.monotonic() - begun))
        ending.wait()
        _say("Ending …\n")
    _LOG.info("ended")
    if ending.failure is not None:
        raise CloudDown(ending.failure)


def _ground(options: ServeOptions, ending: Ending, stack: ExitStack) -> Ground:
    state = opened(options.state)
    lock = hold(state)
    stack.callback(os.close, lock)
    log_to(state.log)
    doors = open_doors(options, state, stack)
    return Ground(state, lock, doors, key_from(state.key), ending, stack)


def _installation(options: ServeOptions, ground: Ground) -> Installation:
    """Return API and engine beside the cloud that the options name; what it needs is up."""
    if options.cloud is None:
        from stoker.app.embedded import beside_embedded

        return beside_embedded(options, ground)
    from stoker.app.account import beside_account

    return beside_account(options, options.cloud, ground)


def _answer(installation: Installation, ground: Ground) -> None:
    """Have the engine work and the ports answer."""
    installation.start()
    ground.stack.callback(installation.stop)
    doors = ground.doors
    for listening, application in (
        (doors.api, installation.application),
        (doors.cfn, installation.cfn),
    ):
        server = HttpServer(listening, application)
        server.open()
        ground.stack.callback(server.close)


def _say(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who listened is gone; that is no reason to end otherwise than in order.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
