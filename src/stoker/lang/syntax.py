"""The one syntax tree that every template language is read into.

Rule: an expression is plain JSON-like data in which :class:`Call` nodes may stand; what
looks like a call and is none stays data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from stoker.errors import Place
from stoker.lang.parameters import ParameterSchema
from stoker.lang.places import Places, Spot, place_of
from stoker.lang.unknown import UNKNOWN

Expr = Any
"""None, bool, int, float, str, list or dict of expressions, or a Call."""


@dataclass(slots=True)
class Call:
    """A function of the template language with its arguments, not yet evaluated.

    Nobody changes one. It is not frozen since a template has thousands, and a frozen one takes
    seven times as long to make.
    """

    name: str
    args: Any
    version: str
    spot: Spot | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> Place | None:
        """Where it stands, unless it was stored or made."""
        return place_of(self.spot)


def is_open(value: Expr) -> bool:
    """Tell whether this is no value yet; one that is, may hold such."""
    return value is UNKNOWN or type(value) is Call


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def is_flat(args: Expr) -> bool:
    """Tell whether arguments are text or a list of scalars: there is nothing to look into."""
    kind = type(args)
    return kind is str or (kind is list and _SCALARS.issuperset(map(type, args)))


ALL_ATTRIBUTES: Final = "*"
"""The ``attribute`` of a Reference to all attributes, or to one not known before."""


@dataclass(frozen=True)
class Reference:
    """What an expression wants of a resource: ``attribute`` is None for get_resource."""

    resource: str
    attribute: str | None
    path: tuple[Any, ...]


@dataclass(slots=True)
class ResourceSyntax:
    """One entry of ``resources``, its functions read but not evaluated. Not frozen, as a Call."""

    name: str
    type: str
    properties: Expr
    metadata: Expr
    depends_on: tuple[str, ...]
    update_policy: Expr
    deletion_policy: Expr
    external_id: Expr
    description: str
    condition: Expr


@dataclass(frozen=True, slots=True)
class OutputSyntax:
    """One entry of ``outputs``."""

    name: str
    value: Expr
    description: str
    condition: Expr


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters that a user interface shows together."""

    label: str | None
    description: str | None
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Template:
    """A template that is sound in itself; values, files and clouds are not looked at.

    ``version`` is the date, an alias resolved. ``raw`` is the document as plain data.
    ``asks_zones``: a function in it wants the compute service's zones.
    """

    version: str
    description: str | None
    parameters: Mapping[str, ParameterSchema]
    parameter_groups: tuple[ParameterGroup, ...]
    conditions: Mapping[str, Expr]
    resources: Mapping[str, ResourceSyntax]
    outputs: Mapping[str, OutputSyntax]
    raw: Mapping[str, Any]
    places: Places
    asks_zones: bool = False

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The names of the parameters whose values must not be shown."""
        return frozenset(name for name, each in self.parameters.items() if each.hidden)
