"""What has become of an object without us: the properties that are no longer as wanted.

Rule: only what can be compared for sure is: plain values under the same name in the service's
answer. What a name may stand for, what is nested, and what was never asked for is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from stoker.sdk.schema import Property, Props, plain

_SCALARS: Final = (str, int, float, bool)


def drifted(kind: type[Props], given: Mapping[str, Any], live: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields, of those that can change in place, in which ``live`` is not as wanted.

    ``given`` are the properties as the template has them, ``live`` values by names of properties,
    as the service shows them. Raises Invalid.
    """
    wanted = kind.parse(given)
    return frozenset(
        each.name
        for wire, each in kind.properties().items()
        if wire in live and wire in given and each.spec.updatable
        if _differs(each, plain(getattr(wanted, each.name)), live[wire])
    )


def _differs(each: Property, wanted: Any, live: Any) -> bool:
    if each.nested is not None:
        return False
    if isinstance(wanted, list):
        names = each.item is not None and each.item.spec.limits.is_a is not None
        return _list_differs(wanted, live, names=names)
    if isinstance(wanted, dict):
        return isinstance(live, Mapping) and any(
            isinstance(value, _SCALARS) and str(live.get(key)) != str(value)
            for key, value in wanted.items()
        )
    names = each.spec.limits.is_a is not None
    return bool(wanted != live) and _is_comparable(wanted, live, names=names)


def _list_differs(wanted: list[Any], live: Any, *, names: bool) -> bool:
    if not isinstance(live, list) or not all(isinstance(each, _SCALARS) for each in wanted):
        return False
    if len(wanted) != len(live):
        return True
    pairs = zip(sorted(map(str, wanted)), sorted(map(str, live)), strict=True)
    return any(one != two and _is_comparable(one, two, names=names) for one, two in pairs)


def _is_comparable(wanted: Any, live: Any, *, names: bool) -> bool:
    """Tell whether both say the same thing in the same way; what ``names`` another object may do
    it by its name or by its id."""
    if not isinstance(wanted, _SCALARS):
        return False
    return not names or _is_id(wanted) == _is_id(live)


def _is_id(value: Any) -> bool:
    try:
        return str(UUID(str(value))) == str(value)
    except ValueError:
        return False
