"""From plain data to expressions: which maps are calls.

Rule: a map with exactly one key that names a function of the template's version is a
call; every other map is data, also one that a newer version would call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from stoker.errors import Kind, Path
from stoker.lang.functions.registry import (
    condition_functions,
    functions_at,
    value_functions,
)
from stoker.lang.reading import Reading
from stoker.lang.syntax import Call, Expr
from stoker.lang.wording import shown

_REMOVED: Final = {
    "Fn::Select": "2015-10-15",
    **dict.fromkeys(
        ("Fn::GetAZs", "Fn::Join", "Fn::Split", "Fn::Replace", "Fn::Base64", "Ref",
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

    def value(self, raw: Any, at: Path) -> Expr:
        """Return the expression that ``raw`` stands for as a property, an output …"""
        if isinstance(raw, dict):
            if len(raw) == 1:
                ((name, args),) = raw.items()
                if name in self._values:
                    return self._call(name, args, at)
                if name in _REMOVED:
                    return self._inherited(name, args, at)
            return {key: self.value(each, (*at, key)) for key, each in raw.items()}
        if isinstance(raw, list):
            return [self.value(each, (*at, index)) for index, each in enumerate(raw)]
        return raw

    def condition(self, raw: Any, at: Path) -> Expr:
        """Return the condition ``raw``: a boolean, a condition's name or a function."""
        if isinstance(raw, bool):
            return raw
        if isinstance(raw, str):
            place = self._reading.places.nearest(at)
            return Call("condition", raw, self._reading.version, place)
        if isinstance(raw, dict) and len(raw) == 1:
            ((name, args),) = raw.items()
            if self._allowed(name, at):
                return self._condition_call(name, args, at)
            return False
        text = "a condition is true, false, the name of a condition or one function"
        self._reading.fault(text, at)
        return False

    def definition(self, raw: Any, at: Path) -> Expr:
        """Return what a named condition says: a boolean or a function."""
        if isinstance(raw, str):
            self._reading.fault("a condition's definition is true, false or one function", at)
            return False
        return self.condition(raw, at)

    def _call(self, name: str, args: Any, at: Path) -> Call:
        inside = (*at, name)
        if name == "if" and isinstance(args, list) and args:
            branches = self._listed(args[1:], inside, self.value, 1)
            read: Any = [self.condition(args[0], (*inside, 0)), *branches]
        else:
            read = self.value(args, inside)
        return Call(name, read, self._reading.version, self._reading.places.nearest(at))

    def _condition_call(self, name: str, args: Any, at: Path) -> Call:
        """Read a function in a condition; within ``not``, ``and``, ``or`` names count."""
        inside = (*at, name)
        if name not in _NAMED:
            read = self._argument(args, inside)
        elif name == "not":
            read = self.condition(args, inside)
        elif isinstance(args, list):
            read = self._listed(args, inside, self.condition)
        else:
            read = args
        return Call(name, read, self._reading.version, self._reading.places.nearest(at))

    def _argument(self, raw: Any, at: Path) -> Expr:
        """Read a value within a condition: only the functions of conditions are calls."""
        if isinstance(raw, dict):
            if len(raw) == 1:
                ((name, args),) = raw.items()
                if name in self._conditions or name in self._values:
                    allowed = self._allowed(name, at)
                    return self._condition_call(name, args, at) if allowed else None
            return {key: self._argument(each, (*at, key)) for key, each in raw.items()}
        if isinstance(raw, list):
            return self._listed(raw, at, self._argument)
        return raw

    def _listed(
        self, raw: list[Any], at: Path, read: Callable[[Any, Path], Expr], first: int = 0
    ) -> list[Expr]:
        return [read(each, (*at, index)) for index, each in enumerate(raw, first)]

    def _allowed(self, name: str, at: Path) -> bool:
        if name in self._conditions:
            return True
        known = ", ".join(sorted(self._conditions))
        known_elsewhere = name in functions_at(self._reading.version)
        text = (
            f"{name} cannot be used in a condition"
            if known_elsewhere
            else (f"{name} is no function of conditions")
        )
        self._reading.fault(f"{text}; those of {self._reading.version} are {known}", (*at, name))
        return False

    def _inherited(self, name: str, args: Any, at: Path) -> Expr:
        """Read what only the first versions have, or say that it is gone."""
        if self._reading.version >= _REMOVED[name]:
            text = f"the function {name} was removed in heat_template_version {_REMOVED[name]}"
        elif name == "Ref" and isinstance(args, str):
            meant = "get_resource" if args in self._resources else "get_param"
            return self._call(meant, args, at)
        else:
            text = f"the function {name} with {shown(args)} is not supported yet"
        self._reading.fault(text, at, Kind.VERSION)
        return None
