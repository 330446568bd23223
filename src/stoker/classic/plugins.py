"""The types of plugins joined with the built-in ones, as the engine is handed them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stoker.classic.loader import Plugins
from stoker.classic.lookups import PluginConstraints
from stoker.sdk.cloud import Cloud, Constraints
from stoker.sdk.resource import Resource, Types


class PluginTypes:
    """An index of types (:class:`stoker.sdk.resource.Types`) in which plugins go first."""

    def __init__(self, index: Types, plugins: Plugins) -> None:
        self._index, self._plugins = index, plugins

    def get(self, type_name: str) -> Resource[Any] | None:
        """Return the type, or None where there is none of that name."""
        return self._plugins.types.get(type_name) or self._index.get(type_name)

    def names(self) -> Iterable[str]:
        """Return the names of all types, sorted."""
        return sorted({*self._index.names(), *self._plugins.types})

    def from_template(self, name: str, text: str) -> Resource[Any]:
        """Return the provider type that a template makes; raises Invalid."""
        return self._index.from_template(name, text)


class PluginChecks:
    """Joins the plugins' custom constraints with a cloud's own."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins

    def __call__(self, cloud: Cloud, inner: Constraints) -> Constraints:
        """Return who answers look-ups for the user of ``cloud``."""
        return PluginConstraints(self._plugins.constraints, inner, cloud)
