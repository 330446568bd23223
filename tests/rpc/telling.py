"""A process that is told what another part of it tells, for tests.

``python -m tests.rpc.telling URL`` tells of a success and of a failure, and writes a line of what
it hears of each: priority, publisher, type and body.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from oslo_config import cfg

from stoker.rpc import oslo_messaging as messaging
from stoker.rpc.notifications import Notifications
from stoker.rpc.transport import NoBroker

TYPES = ("orchestration.stack.create.end", "orchestration.stack.update.error")


class Ear:
    """Hears notifications, as a service of the cloud does."""

    def __init__(self) -> None:
        self._left, self.heard = set(TYPES), threading.Event()

    def info(self, context: Any, publisher: str, kind: str, body: Any, more: Any) -> None:
        """Hear of a success."""
        del context, more
        self._hear("info", publisher, kind, body)

    def error(self, context: Any, publisher: str, kind: str, body: Any, more: Any) -> None:
        """Hear of a failure."""
        del context, more
        self._hear("error", publisher, kind, body)

    def _hear(self, *what: Any) -> None:
        sys.stdout.write(f"{json.dumps(what)}\n")
        sys.stdout.flush()
        self._left.discard(what[2])
        if not self._left:
            self.heard.set()


def main() -> None:
    """Do so."""
    conf = configured(sys.argv[1])
    try:
        notifications = Notifications(conf)
    except NoBroker:
        sys.stdout.write("no broker\n")
        return
    ear = Ear()
    transport = messaging.get_notification_transport(conf)
    target = messaging.Target(topic="notifications")
    listener = messaging.get_notification_listener(transport, [target], [ear], executor="threading")
    listener.start()
    for kind in TYPES:
        notifications.tell(kind, {"stack_name": "web"})
    ear.heard.wait(30)
    listener.stop()
    listener.wait()
    notifications.close()


def configured(url: str) -> cfg.ConfigOpts:
    """Return what an operator would write."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stoker.conf"
        section = "[oslo_messaging_notifications]\ndriver = messagingv2\n"
        file.write_text(f"[DEFAULT]\ntransport_url = {url}\n{section}")
        conf = cfg.ConfigOpts()
        conf([], project="stoker", default_config_files=[str(file)], default_config_dirs=[])
    return conf


if __name__ == "__main__":
    main()
