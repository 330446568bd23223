"""How the parameters of several environment files become one map.

Rule: the first file that names a parameter fixes how it is merged; null values never count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.lang.depth import json_value
from stoker.lang.wording import shown

STRATEGIES: Final = ("overwrite", "merge", "deep_merge")


class Merger:
    """Joins maps of parameters, one file after another, and gathers what is wrong."""

    def __init__(self, types: Mapping[str, str] | None) -> None:
        self._types = types
        self._chosen: dict[str, str] = {}
        self.problems: list[Problem] = []

    def learn(self, strategies: Mapping[str, str], *maps: Mapping[str, Any]) -> None:
        """Take in a file's strategies for the parameters to which its ``maps`` give values.

        Only a file that names a parameter can disagree; its default goes along with what was
        chosen before.
        """
        self._check(strategies)
        given = (name for each in maps for name, value in each.items() if value is not None)
        for name in dict.fromkeys(filter(self._is_declared, given)):
            default = strategies.get("default", STRATEGIES[0])
            strategy = strategies.get(name) or self._chosen.get(name, default)
            if self._chosen.setdefault(name, strategy) != strategy:
                text = f"The parameter {name} is merged by {self._chosen[name]} in an earlier file"
                self._note(name, f"{text} and by {strategy} here; choose one for all")

    def join(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``old`` with ``new`` put on top; an undeclared name comes in only first."""
        joined = dict(old)
        for name, value in new.items():
            if value is None or (old and not self._is_declared(name)):
                continue
            joined[name] = self._value(name, old.get(name), value) if old else value
        return joined

    def _is_declared(self, name: str) -> bool:
        return self._types is None or name in self._types

    def _value(self, name: str, old: Any, new: Any) -> Any:
        strategy = self._chosen.get(name, STRATEGIES[0])
        if strategy == STRATEGIES[0]:
            return new
        kind = (self._types or {}).get(name, _looks(new))
        try:
            if old is None:
                return _read(new) if kind == "json" else new
            return _JOINERS[kind](old, new, strategy == STRATEGIES[2])
        except (ValueError, TypeError, KeyError):
            self._note(name, f"The parameter {name} ({kind}) cannot be merged by {strategy}")
            return new

    def _check(self, strategies: Mapping[str, str]) -> None:
        for name, strategy in strategies.items():
            if strategy not in STRATEGIES:
                text = f"{shown(strategy)} is no strategy; known are {', '.join(STRATEGIES)}"
                self._note(name, text)

    def _note(self, name: str, text: str) -> None:
        at = ("parameter_merge_strategies", name)
        self.problems.append(Problem(text, at, kind=Kind.ENVIRONMENT))


def _looks(value: Any) -> str:
    match value:
        case dict():
            return "json"
        case list():
            return "comma_delimited_list"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case _:
            return "string"


def _json(old: Any, new: Any, deep: bool) -> Any:  # noqa: FBT001 - one shape for all
    other = _read(new)
    if not old:
        return other
    one = _read(old)
    if not isinstance(one, dict) or not isinstance(other, dict):
        raise TypeError
    given = {key: each for key, each in other.items() if each is not None}
    return _deep(one, given) if deep else {**one, **given}


def _read(value: Any) -> Any:
    """Return what a text holds, an empty one as it is; raises ValueError."""
    return json_value(value) if value and isinstance(value, str) else value


def _deep(old: Any, new: Any) -> Any:
    """Return both; null, and an empty map, say nothing where there is something."""
    if new is None or (new == {} and old):
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        given = {key: each for key, each in new.items() if each is not None or not old}
        both = {key: _deep(old[key], each) if key in old else each for key, each in given.items()}
        return {**old, **both}
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    return new


def _list(old: Any, new: Any, _deep: bool) -> Any:  # noqa: FBT001 - one shape for all
    if not old:
        return new
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    if isinstance(old, str) and isinstance(new, str):
        return f"{old},{new}"
    one = old if isinstance(old, str) else ",".join(map(str, old))
    other = new if isinstance(new, str) else ",".join(map(str, new))
    return ",".join(each for each in (one, other) if each)


def _string(old: Any, new: Any, _deep: bool) -> Any:  # noqa: FBT001 - one shape for all
    return str(old) + str(new)


def _number(old: Any, new: Any, _deep: bool) -> Any:  # noqa: FBT001 - one shape for all
    return _as_number(old) + _as_number(new)


def _as_number(value: Any) -> int | float:
    try:
        return int(value)
    except ValueError:
        return float(value)


_JOINERS: Final = {
    "json": _json,
    "comma_delimited_list": _list,
    "string": _string,
    "number": _number,
}
"""By a parameter's type; a boolean cannot be merged."""
