"""What a parameter's value must satisfy.

Rule: a constraint gives the reason of a refusal in words; custom ones need a cloud, so
they accept everything here and come out as a Lookup.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from stoker.lang.pattern import full_match

Number = int | float
Seen = Callable[[Any], str]
"""How an error may show a value; asked only where there is one."""


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """Base of all: ``fits`` names the parameter types it can be put on."""

    description: str | None = None
    fits: ClassVar[frozenset[str]] = frozenset()

    def reason(self, value: Any, seen: Seen) -> str | None:
        """Return why ``value`` is refused; ``seen`` says how it may be shown."""
        found = self.check(value, seen)
        return None if found is None else self.description or found

    def check(self, value: Any, seen: Seen) -> str | None:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Length(Constraint):
    least: int | None = None
    most: int | None = None
    fits: ClassVar = frozenset({"string", "comma_delimited_list", "json"})

    def check(self, value: Any, seen: Seen) -> str | None:
        length = len(value) if isinstance(value, str | list | dict) else len(str(value))
        if _within(length, self.least, self.most):
            return None
        return f"its length is {length}, and must be {_limits(self.least, self.most)}"


@dataclass(frozen=True, kw_only=True)
class Range(Constraint):
    least: Number | None = None
    most: Number | None = None
    fits: ClassVar = frozenset({"number"})

    def check(self, value: Any, seen: Seen) -> str | None:
        if _within(value, self.least, self.most):
            return None
        return f"{seen(value)} is out of range: it must be {_limits(self.least, self.most)}"


@dataclass(frozen=True, kw_only=True)
class Modulo(Constraint):
    step: int
    offset: int
    fits: ClassVar = frozenset({"number"})

    def check(self, value: Any, seen: Seen) -> str | None:
        if value % self.step == self.offset:
            return None
        return f"{seen(value)} must be {self.offset} plus a multiple of {self.step}"


@dataclass(frozen=True, kw_only=True)
class AllowedValues(Constraint):
    """``allowed`` as written; ``same`` as the parameter's type, for comparing."""

    allowed: tuple[Any, ...]
    same: tuple[Any, ...]
    fits: ClassVar = frozenset({"string", "number", "boolean", "comma_delimited_list"})

    def check(self, value: Any, seen: Seen) -> str | None:
        values = value if isinstance(value, list) else [value]
        if all(each in self.same for each in values):
            return None
        return f"{seen(value)} is not allowed; allowed are {', '.join(map(str, self.allowed))}"


@dataclass(frozen=True, kw_only=True)
class AllowedPattern(Constraint):
    pattern: str
    fits: ClassVar = frozenset({"string"})

    def check(self, value: Any, seen: Seen) -> str | None:
        try:
            if full_match(self.pattern, value):
                return None
        except ValueError as error:
            return f"{seen(value)} cannot be checked: {error}"
        return f"{seen(value)} does not match the pattern {self.pattern}"


@dataclass(frozen=True, kw_only=True)
class Custom(Constraint):
    """Whether the cloud knows the value: ``nova.flavor``, ``neutron.network`` …"""

    name: str
    fits: ClassVar = frozenset({"string", "number", "boolean", "comma_delimited_list"})

    def check(self, value: Any, seen: Seen) -> str | None:
        return None


def _within(value: Number, least: Number | None, most: Number | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _limits(least: Number | None, most: Number | None) -> str:
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"
