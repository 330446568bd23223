"""A process with one end of the wire, for tests: it says what it hears, and rings when told.

``python -m tests.rpc.ringing URL``: a line ``ring`` on standard input rings, and is answered with
``rang`` at once; each ring that is heard is told with ``heard``.
"""

from __future__ import annotations

import logging
import sys

from oslo_config import cfg

from stoker.rpc.hints import Hints
from stoker.rpc.transport import NoBroker


def main() -> None:
    """Do so until standard input ends."""
    logging.basicConfig(level=logging.INFO)
    cfg.CONF([], project="stoker", default_config_files=[], default_config_dirs=[])
    try:
        hints = Hints(cfg.CONF, sys.argv[1])
    except NoBroker:
        say("no broker")
        return
    hints.answer(lambda: say("heard"))
    for _ in sys.stdin:
        hints.ring()
        say("rang")
    hints.close()
    say("closed")


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
