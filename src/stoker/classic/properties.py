"""Properties as plugins read them, and the name under which they import their declaration.

Rule: checking is the sdk's; what a plugin reads are its values as plain dicts and lists, None
where an optional property was not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from stoker.classic.declaration import made
from stoker.classic.schema import Schema
from stoker.sdk.schema import Property, Props
from stoker.sdk.value import thaw

__all__ = ["Properties", "Schema", "plain"]


class Properties(Mapping[str, Any]):
    """The properties of a resource, read by their names."""

    def __init__(
        self,
        schema: Mapping[str, Schema],
        data: Mapping[str, Any],
        resolver: Callable[[Any], Any] = lambda data: data,
        parent_name: str | None = None,
        context: Any = None,
        **_: Any,
    ) -> None:
        self.context = context
        self._values = plain(made("Properties", schema).parse(resolver(dict(data))))
        self._given = dict(data)

    @classmethod
    def of(cls, props: Props, context: Any = None) -> Properties:
        """Return the properties that were read already."""
        self = cls.__new__(cls)
        self.context = context
        self._values = plain(props)
        self._given = props.given()
        return self

    @property
    def data(self) -> dict[str, Any]:
        return self._given

    def validate(self, with_value: bool = True) -> None:  # noqa: FBT001, FBT002 - the interface's own signature
        """Do nothing: there are none that were not checked."""

    def get_user_value(self, key: str, validate: bool = False) -> Any:  # noqa: FBT001, FBT002 - the interface's own signature
        """Return the value that the template gives, without the default."""
        self._known(key)
        return self._given.get(key)

    def __getitem__(self, key: str) -> Any:
        self._known(key)
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def _known(self, key: str) -> None:
        if key not in self._values:
            raise KeyError(f"Invalid Property {key}")


def plain(props: Props) -> dict[str, Any]:
    """Return every declared property as plain JSON by its name, None where there is no value."""
    declared = type(props).properties()
    return {wire: _plain(getattr(props, each.name), each) for wire, each in declared.items()}


def _plain(value: Any, declared: Property) -> Any:
    if value is None:
        return None
    if declared.nested is not None:
        return plain(value)
    if declared.item is not None:
        return [_plain(each, declared.item) for each in value]
    return thaw(value)
