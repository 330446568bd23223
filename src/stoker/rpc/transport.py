"""The broker, as an operator's URL names it."""

from __future__ import annotations

import logging
import socket
import threading
from typing import Any, Final

import oslo_messaging as messaging  # type: ignore[import-untyped]  # it has no types
from amqp.exceptions import AMQPError  # type: ignore[import-untyped]  # nor has it
from kombu.exceptions import KombuError
from oslo_config import cfg

from stoker.errors import StokerError

EXCHANGE: Final = "stoker"
STOP_SECONDS: Final = 2.0
"""So long somebody who ends waits for a broker."""
FAILURES: Final = (messaging.MessagingException, AMQPError, KombuError, OSError)
"""What a broker that is away may raise."""
_LOG = logging.getLogger(__name__)


class NoBroker(StokerError):
    """The URL names no broker that there could be."""


def transport(conf: cfg.ConfigOpts, url: str) -> Any:
    """Return what carries messages; raises NoBroker."""
    try:
        return messaging.get_rpc_transport(conf, url=url)
    except (messaging.InvalidTransportURL, messaging.DriverLoadFailure) as error:
        raise NoBroker(f"it cannot be used ({type(error).__name__})") from error


class Listener:
    """Has ``endpoint`` take the messages of a topic, as soon as the broker is there.

    ``then`` goes to the log at that moment.
    """

    def __init__(self, carrier: Any, topic: str, endpoint: object, then: str) -> None:
        # Named after the machine: the queues of names that are never used again would stay.
        target = messaging.Target(exchange=EXCHANGE, topic=topic, server=socket.gethostname())
        self._server = messaging.get_rpc_server(carrier, target, [endpoint])
        self._then = then
        self._is_listening = False
        threading.Thread(target=self._listen, name=f"{topic}-in", daemon=True).start()

    def stop(self) -> None:
        """Take nothing more on, and answer what is being done."""
        if self._is_listening:
            self._server.stop()
            self._server.wait()

    def _listen(self) -> None:
        """Wait for the broker, for as long as that takes."""
        self._server.start()
        self._is_listening = True
        _LOG.info(self._then)


def hang_up(carrier: Any, listener: Listener | None = None) -> None:
    """Stop listening and give the connections back, if that goes at once."""

    def end() -> None:
        if listener is not None:
            listener.stop()
        carrier.cleanup()

    ending = threading.Thread(target=end, name="hang-up", daemon=True)
    ending.start()
    ending.join(STOP_SECONDS)  # a broker that does not answer must not keep us
