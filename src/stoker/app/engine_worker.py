"""One engine process, a child of ``stoker-engine``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from stoker.app.bearing import serve
from stoker.app.engine_service import PROGRAM
from stoker.app.garbage import exempt_what_is_loaded
from stoker.app.hinting import hints
from stoker.app.installation import STOP_SECONDS
from stoker.app.notifying import deliver, notify
from stoker.app.service import LIBRARIES
from stoker.app.worker import opened, work
from stoker.engine.stored import PASSWORD

if TYPE_CHECKING:
    from contextlib import ExitStack

    from stoker.app.configuration import Configuration

_PASSWORDS = (
    "[DEFAULT] deferred_auth_method is password: the passwords of stacks' owners are stored,"
    " sealed; whoever has the database and the key can be those users everywhere. Prefer trusts"
)
_LOG = logging.getLogger("stoker.app.engine_worker")


def main() -> None:
    """Work until told to end, and end the process."""
    work(PROGRAM, _begin)


def _begin(configuration: Configuration, stack: ExitStack) -> None:
    unused = configuration.unused(list(LIBRARIES))
    if unused:
        _LOG.warning("these options mean nothing here: %s", "; ".join(unused))
    if configuration.deferred_auth_method == PASSWORD:
        _LOG.warning("%s", _PASSWORDS)
    parts = opened(configuration, stack)
    engine = parts.engine(alone=False)
    bell = hints(configuration, stack)
    # Told last: what this engine gives back is taken up at once by another.
    stack.callback(bell.ring)
    engine.start()
    stack.callback(engine.stop, STOP_SECONDS)
    bell.answer(engine.wake)

    def wake() -> None:
        engine.wake()
        bell.ring()

    serve(configuration, parts, wake, stack)
    notify(configuration, parts.database, stack)
    deliver(configuration, parts, engine, stack)
    exempt_what_is_loaded()


if __name__ == "__main__":
    main()
