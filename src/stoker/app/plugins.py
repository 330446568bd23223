"""Plugins as they are taken up at start: what cannot be used is told, and the rest works."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from stoker.classic.loader import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stoker.classic.loader import Plugins

_LOG = logging.getLogger(__name__)


def plugins_in(directories: Sequence[Path]) -> Plugins:
    """Return the plugins of the directories and the installed ones; warn of what is left out."""
    found = load([directory.expanduser().absolute() for directory in directories])
    for problem in found.problems:
        _LOG.warning("%s", problem)
    if found.types:
        _LOG.info("types of plugins: %s", ", ".join(sorted(found.types)))
    return found
