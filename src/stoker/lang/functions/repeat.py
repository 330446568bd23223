"""repeat: a list made by filling a form once for each value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any, Final

from stoker.lang.functions.arguments import ITEM, check_size, fields, shown, size_of, wrong
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open

_FORM: Final = "repeat: {template: form, for_each: {name: list, …}}"


@function("repeat", _FORM, since="2014-10-16", until="2016-10-14", makes=True, written=True)
def repeat_lists(args: Any) -> list[Any]:
    """Fill the form for every combination of the lists' items."""
    given = fields(args, ("template", "for_each"), others=True)
    return _filled(given, _values(given["for_each"], maps=False), every=True)


@function("repeat", _FORM, since="2016-10-14", until="2017-09-01", makes=True, written=True)
def repeat_maps(args: Any) -> list[Any]:
    """As before; a map counts as the list of its keys."""
    given = fields(args, ("template", "for_each"), others=True)
    return _filled(given, _values(given["for_each"], maps=True), every=True)


@function(
    "repeat", _FORM[:-1] + ", permutations: boolean}", since="2017-09-01", makes=True, written=True
)
def repeat(args: Any) -> list[Any]:
    """As before; without ``permutations`` the lists are gone through side by side."""
    given = fields(args, ("template", "for_each"), others=True)
    every = given.get("permutations", True)
    if not (isinstance(every, bool) or is_open(every)):
        raise wrong(f"permutations must be true or false, not {shown(every)}")
    if is_open(every):
        return list(_values(given["for_each"], maps=True))
    return _filled(given, _values(given["for_each"], maps=every), every=every)


def _values(for_each: Any, *, maps: bool) -> dict[str, list[Any]]:
    if is_open(for_each):
        return {}
    if not isinstance(for_each, dict) or not for_each:
        raise wrong(f"for_each must be a map of lists, not {shown(for_each)}")
    return {name: _listed(name, each, maps=maps) for name, each in for_each.items()}


def _listed(name: str, each: Any, *, maps: bool) -> list[Any]:
    if each is None or is_open(each):
        return []
    if isinstance(each, list) or (maps and isinstance(each, dict)):
        return list(each)
    raise wrong(f"{name} in for_each must be a list, not {shown(each)}")


def _text(name: str, item: Any) -> str:
    if not name:
        raise wrong("an empty text cannot be replaced; remove the empty key in for_each")
    if item is None or isinstance(item, dict | list):
        raise wrong(f"the values of {name} must be scalars, not {shown(item)}")
    return "" if is_open(item) else str(item)


def _filled(given: dict[str, Any], values: dict[str, list[Any]], *, every: bool) -> list[Any]:
    if is_open(given["for_each"]) or any(map(is_open, given["for_each"].values())):
        return []
    rows: Iterable[tuple[Any, ...]]
    if None in given["for_each"].values():
        rows = ()
    elif every:
        rows = itertools.product(*values.values())
    elif len({len(each) for each in values.values()}) == 1:
        rows = zip(*values.values(), strict=True)
    else:
        raise wrong("without permutations the lists in for_each must be equally long")
    names = list(values)
    check_size(ITEM * len(names) * _count(values.values(), every=every))
    filled: list[Any] = []
    size = 0
    for row in rows:
        filled.append(_fill(given["template"], list(zip(names, row, strict=True))))
        size += size_of(filled[-1])
        check_size(size)
    return filled


def _count(lists: Iterable[list[Any]], *, every: bool) -> int:
    """Return how often the form is filled at most."""
    lengths = [len(each) for each in lists]
    return math.prod(lengths) if every else max(lengths)


def _fill(form: Any, pairs: list[tuple[str, Any]]) -> Any:
    match form:
        case str():
            for name, value in pairs:
                put = _text(name, value)
                check_size(len(form) + form.count(name) * len(put))
                form = form.replace(name, put)
            return form
        case list():
            return [_fill(item, pairs) for item in form]
        case dict():
            return {_fill(key, pairs): _fill(value, pairs) for key, value in form.items()}
        case _:
            return form
