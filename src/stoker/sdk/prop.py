"""How a type's author declares a property or an attribute.

Rule: a declaration is a frozen value; what it means is compiled by :mod:`stoker.sdk.schema`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

_MISSING: Any = dataclasses.MISSING


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """What a value is held to; ``at_least`` and ``at_most`` are of numbers, ``shortest`` and
    ``longest`` of text, lists and maps."""

    one_of: Collection[Any] = ()
    any_case: bool = False  # a text of other case becomes the one of them that it is
    at_least: float | None = None
    at_most: float | None = None
    shortest: int | None = None
    longest: int | None = None
    step: tuple[int, int] | None = None  # (step, offset)
    pattern: str | None = None  # the whole text matches
    is_a: str | None = None  # a custom constraint's name

    def __bool__(self) -> bool:
        return self != _NONE

    def schema(self) -> list[dict[str, Any]]:
        """Return them as the API shows constraints."""
        shown: list[dict[str, Any]] = []
        if span := _span(self.at_least, self.at_most):
            shown.append({"range": span})
        if span := _span(self.shortest, self.longest):
            shown.append({"length": span})
        if self.step is not None:
            shown.append({"modulo": {"step": self.step[0], "offset": self.step[1]}})
        if self.one_of:
            shown.append({"allowed_values": list(self.one_of)})
        if self.pattern is not None:
            shown.append({"allowed_pattern": self.pattern})
        if self.is_a is not None:
            shown.append({"custom_constraint": self.is_a})
        return shown


_NONE = Limits()


def _span(low: float | None, high: float | None) -> dict[str, float]:
    ends = {"min": low, "max": high}
    return {name: end for name, end in ends.items() if end is not None}


@dataclasses.dataclass(frozen=True, slots=True)
class Support:
    """How well a type, a property or an attribute is supported, as Heat names it."""

    status: str = "SUPPORTED"
    since: str | None = None
    message: str | None = None
    previous: Support | None = None

    def schema(self) -> dict[str, Any]:
        """Return it as the API shows it."""
        return {
            "status": self.status,
            "version": self.since,
            "message": self.message,
            "previous_status": self.previous and self.previous.schema(),
        }


SUPPORTED = Support()
HIDDEN = Support("HIDDEN")
DEPRECATED = Support("DEPRECATED")


@dataclasses.dataclass(frozen=True, slots=True)
class PropSpec:
    """What the template author may say about one property."""

    doc: str
    default: Any  # MISSING: there is none
    required: bool
    updatable: bool = False
    immutable: bool = False
    limits: Limits = _NONE
    each: Limits = _NONE
    wire: str | None = None
    null: Any = None
    becomes: str | None = None
    translate: Callable[[Any], Any] | None = None
    convert: bool = False
    secret: bool = False
    late: bool = False
    support: Support = SUPPORTED

    @property
    def has_default(self) -> bool:
        """Whether the template author sees a default."""
        return self.default is not _MISSING and self.default is not None


class Options(TypedDict, total=False):
    """What :func:`prop` takes besides the doc and the default."""

    updatable: bool
    immutable: bool
    wire: str  # its name in templates, where that is no Python identifier
    null: Any  # what an explicit null stands for
    becomes: str  # the property that took its place: the value is read as that one's ...
    translate: Callable[[Any], Any]  # ... through this
    convert: bool  # a list or map may come as text
    secret: bool  # never to be shown
    late: bool  # its default and its absence are seen to later, by somebody else
    support: Support
    limits: Limits  # or its fields, as below
    each: Limits  # what a list's items are held to
    one_of: Collection[Any]
    any_case: bool
    at_least: float
    at_most: float
    shortest: int
    longest: int
    step: tuple[int, int]
    pattern: str
    is_a: str


_LIMITS = frozenset(field.name for field in dataclasses.fields(Limits))


def prop(doc: str, *, default: Any = _MISSING, **options: Unpack[Options]) -> Any:
    """Declare a property; without ``default`` it is required."""
    given: dict[str, Any] = dict(options)
    held_to = {name: given.pop(name) for name in _LIMITS & given.keys()}
    if held_to:
        given["limits"] = Limits(**held_to)
    spec = PropSpec(doc, default, required=default is _MISSING, **given)
    return dataclasses.field(default=None, metadata={"spec": spec})


@dataclasses.dataclass(frozen=True, slots=True)
class Attr:
    """An attribute that ``get_attr`` can read. ``type`` is the API's word for it, or None;
    ``lacking`` says what it needs that is not there, so that a template cannot read it.
    """

    doc: str
    type: str | None = "string"
    support: Support = SUPPORTED
    lacking: str | None = None

    def schema(self) -> dict[str, Any]:
        """Return it as the API shows it."""
        shown = {"description": self.doc}
        return shown | ({"type": self.type} if self.type else {})


def attrs(**declared: Attr) -> Mapping[str, Attr]:
    """Return a type's attributes by name, and ``show``, which every type has."""
    show = Attr("Everything that the service tells about it.", "map")
    return MappingProxyType({**declared, "show": show})
