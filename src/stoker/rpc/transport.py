"""The broker, as an operator's URL names it."""

from __future__ import annotations

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


class NoBroker(StokerError):
    """The URL names no broker that there could be."""


def transport(conf: cfg.ConfigOpts, url: str) -> Any:
    """Return what carries messages; raises NoBroker."""
    try:
        return messaging.get_rpc_transport(conf, url=url)
    except (messaging.InvalidTransportURL, messaging.DriverLoadFailure) as error:
        raise NoBroker(f"it cannot be used ({type(error).__name__})") from error
