"""Where the log goes: ``DIR/stoker.log``, for its owner alone; warnings also to the terminal.

Rule: what is logged holds no secrets; masking is the business of who logs.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys
from typing import TYPE_CHECKING, Any

from stoker.app.state import PRIVATE_FILE

if TYPE_CHECKING:
    from pathlib import Path

FORM = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"
FILE_BYTES = 10 * 1024 * 1024
FILES = 3
QUIET = {
    "alembic": logging.WARNING,
    # It warns of each option of the auth plugin that it was given, and uses it.
    "keystonemiddleware._common.config": logging.ERROR,
}


class PrivateFile(logging.handlers.RotatingFileHandler):
    """A rotating log file of mode 0600."""

    def _open(self) -> Any:
        descriptor = os.open(
            self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE
        )
        return os.fdopen(descriptor, "a", encoding="utf-8")


class Brief(logging.Formatter):
    """What is shown on the terminal: no traceback, which is for the file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message alone."""
        return f"{record.levelname}: {record.getMessage()}"


def log_to(path: Path) -> None:
    """Send the log to ``path`` from now on, and warnings of our own also to standard error."""
    file = PrivateFile(path, maxBytes=FILE_BYTES, backupCount=FILES, encoding="utf-8", delay=True)
    file.setFormatter(logging.Formatter(FORM))
    root = logging.getLogger()
    root.addHandler(file)
    root.setLevel(logging.INFO)
    for name, level in QUIET.items():
        logging.getLogger(name).setLevel(level)
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.WARNING)
    terminal.setFormatter(Brief())
    logging.getLogger("stoker").addHandler(terminal)
