"""Notifications over a message broker, as the services of a cloud send them.

Rule: whether, where and how often it is tried is oslo.messaging's own configuration, in
``[oslo_messaging_notifications]``; sending waits for a broker that is away, by its ``retry``.
"""

from __future__ import annotations

import socket
import threading
from typing import Any

import oslo_messaging as messaging  # type: ignore[import-untyped]  # it has no types
from oslo_config import cfg

from stoker.errors import Unavailable
from stoker.rpc.transport import FAILURES, STOP_SECONDS, NoBroker


class Notifications:
    """One process's way to tell others; ``conf`` has oslo.messaging's options."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        try:
            self._transport = messaging.get_notification_transport(conf)
        except (messaging.InvalidTransportURL, messaging.DriverLoadFailure) as error:
            raise NoBroker(f"it cannot be used ({type(error).__name__})") from error
        publisher = f"orchestration.{socket.gethostname()}"
        self._notifier = messaging.Notifier(self._transport, publisher_id=publisher)

    def tell(self, event_type: str, body: dict[str, Any]) -> None:
        """Tell of an event; a failure is told as an error. Raises Unavailable."""
        send = self._notifier.error if event_type.endswith(".error") else self._notifier.info
        try:
            send({}, event_type, body)
        except FAILURES as error:
            raise Unavailable(f"nobody can be told ({type(error).__name__})") from error

    def close(self) -> None:
        """Hang up, if that goes at once."""
        ending = threading.Thread(target=self._transport.cleanup, name="tell-end", daemon=True)
        ending.start()
        ending.join(STOP_SECONDS)
