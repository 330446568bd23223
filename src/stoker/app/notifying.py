"""Telling others what becomes of stacks: the operator's bus, and the webhooks that users name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.app.hinting import with_broker
from stoker.app.service import LIBRARIES
from stoker.engine.telling import Telling

if TYPE_CHECKING:
    from contextlib import ExitStack

    from stoker.app.configuration import Configuration
    from stoker.app.installation import Parts
    from stoker.engine.engine import Engine
    from stoker.rpc.notifications import Notifications
    from stoker.store.database import Database

SECTION = "oslo_messaging_notifications"


def notify(configuration: Configuration, database: Database, stack: ExitStack) -> None:
    """Tell of stacks, if that is configured, until ``stack`` ends it; raises Misconfigured."""
    if not configuration[SECTION]["driver"]:
        return

    def made() -> Notifications:
        from stoker.rpc.notifications import Notifications

        return Notifications(LIBRARIES)

    notifications = with_broker(made)
    stack.callback(notifications.close)
    telling = Telling(database, notifications.tell)
    telling.start()
    stack.callback(telling.stop)


def deliver(configuration: Configuration, parts: Parts, engine: Engine, stack: ExitStack) -> None:
    """Send events to the webhooks of environments until ``stack`` ends it."""
    private = configuration["stoker"]["fetch_private_addresses"]
    delivering = parts.delivering(engine, private=private)
    delivering.start()
    stack.callback(delivering.stop)
