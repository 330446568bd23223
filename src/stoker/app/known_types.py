"""The types that templates are checked with where nothing is made.

Rule: they are those that an engine here would have; what reads plugins is slow to import, and is
not where there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.classic import installed
from stoker.resources.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stoker.sdk.resource import Types


def known_types(plugin_dirs: Sequence[Path]) -> Types:
    """Return the built-in types, under those of installed plugins and of these directories."""
    if not (plugin_dirs or installed.resources()):
        return Index()
    from stoker.app.plugins import plugins_in
    from stoker.classic.plugins import PluginTypes

    return PluginTypes(Index(), plugins_in(plugin_dirs))
