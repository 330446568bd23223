"""The definition of a resource, as a plugin's ``__init__`` and ``handle_update`` are given it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stoker.classic.properties import Properties


class Definition(Mapping[str, Any]):
    """Name, type, properties, metadata and update policy; also read by the keys of a
    CloudFormation template."""

    def __init__(
        self,
        name: str,
        resource_type: str,
        properties: Properties,
        metadata: Mapping[str, Any],
        policy: Properties,
    ) -> None:
        self.name, self.resource_type = name, resource_type
        self._properties, self._metadata, self._policy = properties, metadata, policy

    def properties(self, schema: Any = None, context: Any = None) -> Properties:
        """Return the properties; they were checked against the schema before."""
        return self._properties

    def update_policy(self, schema: Any = None, context: Any = None) -> Properties:
        """Return the update policy, checked before as the properties are."""
        return self._policy

    def metadata(self) -> dict[str, Any]:
        return dict(self._metadata)

    def _keys(self) -> dict[str, Any]:
        return {
            "Type": self.resource_type,
            "Properties": self._properties.data,
            "Metadata": self.metadata(),
            "UpdatePolicy": self._policy.data,
        }

    def __getitem__(self, key: str) -> Any:
        return self._keys()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())


class Difference(dict[str, Any]):
    """Which parts of a definition changed, as ``handle_update`` is given it (``tmpl_diff``)."""

    def properties_changed(self) -> bool:
        return "Properties" in self

    def metadata_changed(self) -> bool:
        return "Metadata" in self

    def update_policy_changed(self) -> bool:
        return "UpdatePolicy" in self
