"""``stoker serve``: API, engine and an embedded cloud, from start to a clean end.

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

from stoker.app.client_config import REGION, clouds_yaml
from stoker.app.devcloud import CloudDown, Devcloud
from stoker.app.devcloud import Plan as CloudPlan
from stoker.app.doors import open_doors
from stoker.app.ending import Ending
from stoker.app.greeting import greeting, no_cfn
from stoker.app.listener import HttpServer
from stoker.app.log import log_to
from stoker.app.proxy import bypass_proxies
from stoker.app.state import StateDirectory, hold, opened, password_from, write_private
from stoker.store.seal import key_from

if TYPE_CHECKING:
    from stoker.app.doors import Doors
    from stoker.cli.options import ServeOptions

IN_DOUBT_SECONDS = 20.0
CLIENT_TIMEOUT_SECONDS = 15.0
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
        state = opened(options.state)
        lock = hold(state)
        stack.callback(os.close, lock)
        log_to(state.log)
        doors = open_doors(options, state, stack)
        _start(options, state, lock, doors, ending, stack)
        _LOG.info("ready: %s", doors.ports())
        _say(greeting(state, doors, time.monotonic() - begun))
        ending.wait()
        _say("Ending …\n")
    _LOG.info("ended")
    if ending.failure is not None:
        raise CloudDown(ending.failure)


def _start(
    options: ServeOptions, state: StateDirectory, lock: int, doors: Doors, ending: Ending,
    stack: ExitStack,
) -> None:  # fmt: skip
    key = key_from(state.key)
    password = password_from(key)
    cloud = Devcloud(_cloud(state, lock, doors, password), ending.fail)
    stack.callback(cloud.stop)
    # The child starts while this process imports what is slow to import.
    from stoker.app.installation import Installation, Plan
    from stoker.engine.settings import Settings

    settings = Settings(in_doubt_seconds=IN_DOUBT_SECONDS, client_timeout=CLIENT_TIMEOUT_SECONDS)
    plan = Plan(
        state.database, key, doors.auth_url, REGION, password, settings, options.plugin_dirs
    )
    installation = Installation(plan)
    stack.callback(installation.close)
    write_private(state.clouds_yaml, clouds_yaml(doors.auth_url, password))
    cloud.wait_ready()
    installation.start()
    stack.callback(installation.stop)
    for listening, application in ((doors.api, installation.application), (doors.cfn, no_cfn)):
        server = HttpServer(listening, application)
        server.open()
        stack.callback(server.close)


def _cloud(state: StateDirectory, lock: int, doors: Doors, password: str) -> CloudPlan:
    return CloudPlan(
        listening=doors.devcloud,
        lock=lock,
        state=state.devcloud,
        log=state.devcloud_log,
        password=password,
        orchestration_url=f"{doors.api_url}/%(project_id)s",
        cloudformation_url=doors.cfn_url,
    )


def _say(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who listened is gone; that is no reason to end otherwise than in order.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
