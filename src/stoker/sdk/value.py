"""Property values that cannot change: what JSON and YAML hold, frozen and hashable.

Rule: lists become tuples and maps become :class:`FrozenMap`; UNKNOWN passes through as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn, Self

from stoker.errors import Bug
from stoker.lang.unknown import UNKNOWN


class FrozenMap(dict[str, Any]):
    """A map that can be compared and hashed, and not changed. Serializers take it as a dict."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise Bug("a property's value cannot be changed")

    __setitem__ = __delitem__ = clear = pop = popitem = _refuse
    setdefault = update = __ior__ = _refuse

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, Any]]]:
        return FrozenMap, (dict(self),)


def freeze(value: Any) -> Any:
    """Return ``value`` with every list and map in it frozen."""
    if isinstance(value, FrozenMap):
        return value
    if isinstance(value, Mapping):
        return FrozenMap({key: freeze(each) for key, each in value.items()})
    if isinstance(value, list | tuple):
        return tuple([freeze(each) for each in value])
    return value


def thaw(value: Any) -> Any:
    """Return ``value`` as plain JSON: dicts and lists of its own."""
    if isinstance(value, Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(each) for each in value]
    return value


def is_unknown(value: object) -> bool:
    """Tell whether a property, whatever its declared type, is wholly UNKNOWN."""
    return value is UNKNOWN


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def is_open(value: Any) -> bool:
    """Tell whether an UNKNOWN stands anywhere in a property's value."""
    if type(value) in _SCALARS:  # nearly all are, and the questions below are slow
        return False
    if value is UNKNOWN:
        return True
    if isinstance(value, tuple | list):
        return any(map(is_open, value))
    if hasattr(value, "__dataclass_fields__"):
        return any(map(is_open, vars(value).values()))
    return isinstance(value, Mapping) and any(map(is_open, value.values()))
