"""From plain data to expressions: which maps are calls.

Rule: a map with exactly one key that names a function of the template's version is a
call; every other map is data, also one that a newer version would call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from stoker.errors import Code, Kind, Path
from stoker.lang.functions.registry import (
    condition_functions,
    functions_at,
    value_functions,
)
from stoker.lang.places import Spot, path_of
from stoker.lang.reading import Reading
from stoker.lang.syntax import Call, Expr, is_flat
from stoker.lang.versions import ALL_ATTRIBUTES

ZONES: Final = "Fn::GetAZs"
_REMOVED: Final = {
    "Fn::Select": "2015-10-15",
    **dict.fromkeys(
        (ZONES, "Fn::Join", "Fn::Split", "Fn::Replace", "Fn::Base64", "Ref",
         "Fn::MemberListToMap", "Fn::ResourceFacade"),
        "2014-10-16",
    ),
}  # fmt: skip
_NAMED: Final = frozenset({"not", "and", "or"})


class Calls:
    """Reads the expressions of one template."""

    def __init__(self, reading: Reading, resources: Collection[str] = ()) -> None:
        self._reading, self._resources = reading, resources
        self._values = value_functions(reading.version)
        self._conditions = condition_functions(reading.version)
        self.asks_zones = False
        """Whether a function was read that wants the compute service's zones."""

    def value(self, raw: Any, at: Path) -> Expr:
        """Return the expression that ``raw`` stands for as a property, an output …"""
        return self._value(raw, self._spot(at))

    def condition(self, raw: Any, at: Path) -> Expr:
        """Return the condition ``raw``: a boolean, a condition's name or a function."""
        return raw if isinstance(raw, bool) else self._condition(raw, self._spot(at))

    def definition(self, raw: Any, at: Path) -> Expr:
        """Return what a named condition says: a boolean or a function."""
        if isinstance(raw, str):
            text = "a condition's definition is true, false or one function"
            self._reading.fault(text, at, code=Code.CONDITION_FORM)
            return False
        return self.condition(raw, at)

    def _spot(self, at: Path) -> Spot:
        return (self._reading.places, at)

    def _value(self, raw: Any, spot: Spot) -> Expr:
        kind = type(raw)
        if kind is dict:
            if len(raw) == 1:
                ((name, args),) = raw.items()
                if name in self._values:
                    return self._call(name, args, spot)
                if name in _REMOVED:
                    return self._inherited(name, spot)
            return {key: each if type(each) is str else self._value(each, (spot, key))
                    for key, each in raw.items()}  # fmt: skip
        if kind is list:
            return [each if type(each) is str else self._value(each, (spot, index))
                    for index, each in enumerate(raw)]  # fmt: skip
        return raw

    def _condition(self, raw: Any, spot: Spot) -> Expr:
        if isinstance(raw, bool):
            return raw
        if isinstance(raw, str):
            return self._made("condition", raw, spot)
        if isinstance(raw, dict) and len(raw) == 1:
            ((name, args),) = raw.items()
            allowed = self._allowed(name, spot)
            return self._condition_call(name, args, spot) if allowed else False
        text = "a condition is true, false, the name of a condition or one function"
        self._reading.fault(text, path_of(spot), code=Code.CONDITION_FORM)
        return False

    def _made(self, name: str, args: Any, spot: Spot) -> Call:
        return Call(name, args, self._reading.version, spot)

    def _call(self, name: str, args: Any, spot: Spot) -> Call:
        if name == "Ref" and isinstance(args, str):
            name = "get_resource" if args in self._resources else "get_param"
        elif name == ZONES:
            self.asks_zones = True
        elif (
            name == "get_attr" and isinstance(args, str) and self._reading.version >= ALL_ATTRIBUTES
        ):
            args = [args]
        inside = (spot, name)
        if name == "if" and isinstance(args, list) and args:
            branches = self._listed(args[1:], inside, self._value, 1)
            read: Any = [self._condition(args[0], (inside, 0)), *branches]
        else:
            read = args if is_flat(args) else self._value(args, inside)
        return Call(name, read, self._reading.version, spot)

    def _condition_call(self, name: str, args: Any, spot: Spot) -> Call:
        """Read a function in a condition; within ``not``, ``and``, ``or`` names count."""
        inside = (spot, name)
        if name not in _NAMED:
            read = self._argument(args, inside)
        elif name == "not":
            read = self._condition(args, inside)
        elif isinstance(args, list):
            read = self._listed(args, inside, self._condition)
        else:
            read = args
        return self._made(name, read, spot)

    def _argument(self, raw: Any, spot: Spot) -> Expr:
        """Read a value within a condition: only the functions of conditions are calls."""
        if isinstance(raw, dict):
            if len(raw) == 1:
                ((name, args),) = raw.items()
                if name in self._conditions or name in self._values:
                    allowed = self._allowed(name, spot)
                    return self._condition_call(name, args, spot) if allowed else None
                if name in _REMOVED:
                    return self._inherited(name, spot)
            return {key: self._argument(each, (spot, key)) for key, each in raw.items()}
        if isinstance(raw, list):
            return self._listed(raw, spot, self._argument)
        return raw

    def _listed(
        self, raw: list[Any], spot: Spot, read: Callable[[Any, Spot], Expr], first: int = 0
    ) -> list[Expr]:
        return [read(each, (spot, index)) for index, each in enumerate(raw, first)]

    def _allowed(self, name: str, spot: Spot) -> bool:
        if name in self._conditions:
            return True
        known = name in functions_at(self._reading.version)
        text = f"{name} {'cannot be used in a condition' if known else 'is no function'}"
        usable = ", ".join(sorted(self._conditions))
        version = self._reading.version
        text = f"{text}; conditions of {version} know {usable}"
        self._reading.fault(text, path_of(spot), code=Code.FUNCTION_UNAVAILABLE)
        return False

    def _inherited(self, name: str, spot: Spot) -> Expr:
        """Say that what only the first versions have is gone."""
        text = f"the function {name} was removed in heat_template_version {_REMOVED[name]}"
        self._reading.fault(text, path_of(spot), Kind.VERSION, code=Code.FUNCTION_UNAVAILABLE)
        return None
