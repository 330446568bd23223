"""Wake-ups over a message broker: "there is work", to every engine at once.

Rule: they are hints. Whoever rings neither waits nor hears of a broker that is away, and an
engine that misses one finds the work at its next look.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

import oslo_messaging as messaging  # type: ignore[import-untyped]  # it has no types
from oslo_config import cfg

from stoker.rpc.transport import EXCHANGE, FAILURES, STOP_SECONDS, Listener, hang_up, transport

if TYPE_CHECKING:
    from collections.abc import Callable

TOPIC = "stoker-engine"
_LOG = logging.getLogger(__name__)


class Hints:
    """One process's end of the wire. ``conf`` has the options of oslo.messaging's sections."""

    def __init__(self, conf: cfg.ConfigOpts, url: str) -> None:
        self._transport = transport(conf, url)
        target = messaging.Target(exchange=EXCHANGE, topic=TOPIC, fanout=True)
        self._client = messaging.get_rpc_client(self._transport, target, retry=0)
        self._due, self._closing = threading.Event(), threading.Event()
        self._listener: Listener | None = None
        self._is_heard = True
        self._sender = threading.Thread(target=self._send, name="hints-out", daemon=True)
        self._sender.start()

    def ring(self) -> None:
        """Have all engines look for due rows now; returns at once. Many rings may be one."""
        self._due.set()

    def answer(self, wake: Callable[[], None]) -> None:
        """Call ``wake`` whenever somebody rings; returns at once, be the broker there or not."""
        news = "wake-ups are heard from now on"
        self._listener = Listener(self._transport, TOPIC, _Ear(wake), news)

    def close(self) -> None:
        """Send what is to be sent, if that goes at once, and hang up."""
        self._closing.set()
        self._due.set()
        self._sender.join(STOP_SECONDS)
        hang_up(self._transport, self._listener)

    def _send(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            self._cast()
            if self._closing.is_set():
                return

    def _cast(self) -> None:
        try:
            self._client.cast({}, "work")
        except FAILURES as error:
            if self._is_heard:
                _LOG.warning("the broker is away (%s): work waits for the next look", error)
            self._is_heard = False
        else:
            self._is_heard = True


class _Ear:
    """What a message can call."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def work(self, context: dict[str, Any]) -> None:
        """Wake the engine."""
        del context
        self._wake()
