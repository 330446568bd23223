"""Resources as they are recorded, for the functions that give their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoker.lang.expression import Expr
from stoker.sdk.resource import Member, Wanted


@dataclass(frozen=True)
class Recorded:
    """A :class:`stoker.sdk.resource.View`."""

    name: str = "name"
    id: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    members: Mapping[str, Member] = field(default_factory=dict)
    child_arn: str | None = None
    state: Mapping[str, Any] | None = None

    def told(self, reference: str | None = None, /) -> Mapping[str, Any] | None:
        return self.state if reference is None else None


@dataclass(frozen=True)
class Inner:
    """A member of a child stack: its attributes are said with their paths."""

    id: str

    def reference(self) -> Any:
        return self.id

    def attribute(self, name: str, path: tuple[Any, ...] = ()) -> Any:
        return ".".join([self.id, name, *map(str, path)])


class Template:
    """The other resources of a template (:class:`stoker.sdk.resource.Others`)."""

    def __init__(self, **resources: tuple[str, Expr]) -> None:
        self.wanted = {name: Wanted(name, *each) for name, each in resources.items()}

    def of_type(self, *types: str) -> list[Wanted]:
        return [each for each in self.wanted.values() if each.type in types]
