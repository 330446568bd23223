"""The types that templates are checked with where nothing is made.

Rule: plugins are imported only where they are asked for, or where a type is unknown without them:
most templates need none, and they are slow to import.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoker.resources.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from stoker.sdk.resource import Resource, Types


def known_types(plugin_dirs: Sequence[Path]) -> Types:
    """Return the built-in types and those of plugins, which go first with a directory named."""
    return _with_plugins(Index(), plugin_dirs) if plugin_dirs else _WithInstalled()


def _with_plugins(index: Types, plugin_dirs: Sequence[Path]) -> Types:
    from stoker.app.plugins import plugins_in
    from stoker.classic.plugins import PluginTypes

    return PluginTypes(index, plugins_in(plugin_dirs))


class _WithInstalled:
    """The built-in types; a name that none of them has is looked for among installed plugins."""

    def __init__(self) -> None:
        self._index = Index()

    @cached_property
    def _all(self) -> Types:
        return _with_plugins(self._index, ())

    def get(self, type_name: str) -> Resource[Any] | None:
        """Return the type, or None where there is none of that name."""
        return self._index.get(type_name) or self._all.get(type_name)

    def names(self) -> Iterable[str]:
        """Return the names of all types, sorted."""
        return self._all.names()

    def from_template(self, name: str, text: str) -> Resource[Any]:
        """Return the provider type that a template makes; raises Invalid."""
        return self._index.from_template(name, text)
