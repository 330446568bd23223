"""A value that is not known yet, because another resource must be done first.

Rule: UNKNOWN is compared with ``is``; asking whether it is true is an error, so that no
decision is ever taken on a value nobody has seen.
"""

from __future__ import annotations

from typing import Any, Final, final

from stoker.errors import Bug


@final
class Unknown:
    """The type of :data:`UNKNOWN`, its only instance."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise Bug("an unknown value was asked whether it is true")

    def __copy__(self) -> Unknown:
        return self

    def __deepcopy__(self, _memo: object) -> Unknown:
        return self

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


def is_known(value: Any) -> bool:
    """Tell whether no UNKNOWN stands anywhere in ``value``, its lists and its maps."""
    if isinstance(value, dict):
        return all(map(is_known, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_known, value))
    return value is not UNKNOWN
