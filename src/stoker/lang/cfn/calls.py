"""Expressions of CloudFormation templates.

Rule: what HOT has under another name is read as that, so that one evaluator serves both: ``Ref``
is get_resource or get_param, ``Fn::If`` is ``if``. Mappings are put into the calls that look into
them: nobody else needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from stoker.errors import Code
from stoker.lang.calls import Calls
from stoker.lang.functions.cfn import NAMED
from stoker.lang.places import Spot, path_of
from stoker.lang.reading import Reading
from stoker.lang.syntax import Expr
from stoker.lang.wording import shown

_BRANCHES: Final = 3
_PAIR: Final = 2
SUB: Final = "Fn::Sub"
_Read = Callable[[Any, Spot], Expr]
_Named = Callable[[str, Spot], Expr]
_LISTED: Final = ("Fn::Not", "Fn::And", "Fn::Or")


class CfnCalls(Calls):
    """Reads the expressions of one template."""

    def __init__(
        self, reading: Reading, resources: Collection[str], mappings: Mapping[str, Any]
    ) -> None:
        super().__init__(reading, resources)
        self._mappings = mappings

    def _call(self, name: str, args: Any, spot: Spot) -> Expr:
        if name == "Fn::If" and isinstance(args, list) and len(args) == _BRANCHES:
            name = "if"
        elif name == "Fn::FindInMap":
            return self._made(name, self._with_mappings(self._value, args, spot), spot)
        elif name == SUB:
            return self._sub(args, spot, self._value, self._named)
        return super()._call(name, args, spot)

    def _condition(self, raw: Any, spot: Spot) -> Expr:
        if isinstance(raw, dict) and raw.keys() == {"Condition"}:
            raw = raw["Condition"]
        return super()._condition(raw, spot)

    def _condition_call(self, name: str, args: Any, spot: Spot) -> Expr:
        """Read a function in a condition; within not, and, or names count."""
        if name in _LISTED and isinstance(args, list):
            read: Any = self._listed(args, (spot, name), self._condition)
        elif name == "Ref" and isinstance(args, str):
            return self._parameter(args, spot)
        elif name == "Fn::FindInMap":
            read = self._with_mappings(self._argument, args, spot)
        elif name == SUB:
            return self._sub(args, spot, self._argument, self._named_in_condition)
        else:
            read = self._argument(args, (spot, name))
        return self._made(name, read, spot)

    def _parameter(self, name: str, spot: Spot) -> Expr:
        if name in self._resources:
            text = f"{name} is a resource; a condition knows parameters only"
            self._reading.fault(text, path_of(spot), code=Code.FUNCTION_UNAVAILABLE)
            return None
        return self._made("get_param", name, spot)

    def _sub(self, args: Any, spot: Spot, read: _Read, named: _Named) -> Expr:
        """Read a text with names in it: what each stands for goes with it, as a call."""
        inside = (spot, SUB)
        text, given = args if _is_pair(args) else (args, {})
        if not isinstance(text, str):
            wanted = "a text, or a list of a text and a map of values"
            fault = f"{SUB} takes {wanted}, not {shown(args)}"
            self._reading.fault(fault, path_of(inside), code=Code.FUNCTION_ARGUMENTS)
            return None
        values = {key: read(each, ((inside, 1), key)) for key, each in given.items()}
        for name in dict.fromkeys(NAMED.findall(text)):
            if not name:
                fault = "${} has no name in it; write ${!} for these three characters"
                self._reading.fault(fault, path_of(inside), code=Code.FUNCTION_ARGUMENTS)
            elif name not in values and not name.startswith("!"):
                values[name] = named(name, inside)
        return self._made(SUB, [text, values], spot)

    def _named(self, name: str, spot: Spot) -> Expr:
        """Return what a name in a text stands for: a resource, its attribute, or a parameter."""
        resource, dot, attribute = name.partition(".")
        if name in self._resources:
            return self._made("get_resource", name, spot)
        if dot:
            return self._made("Fn::GetAtt", [resource, attribute], spot)
        return self._made("get_param", name, spot)

    def _named_in_condition(self, name: str, spot: Spot) -> Expr:
        resource, _, _ = name.partition(".")
        return self._parameter(resource if resource in self._resources else name, spot)

    def _with_mappings(self, read: Any, args: Any, spot: Spot) -> Any:
        """Return the arguments behind the mapping that they name, or behind all."""
        inside = (spot, "Fn::FindInMap")
        if not isinstance(args, list):
            return read(args, inside)
        name = args[0] if args and isinstance(args[0], str) else ""
        named = {name: self._mappings[name]} if name in self._mappings else self._mappings
        return [dict(named), *self._listed(args, inside, read)]


def _is_pair(args: Any) -> bool:
    """Tell whether these are a text, or what is in its place, and a map."""
    return isinstance(args, list) and len(args) == _PAIR and isinstance(args[1], dict)
