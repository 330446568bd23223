"""The declaration of a property, as plugins write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stoker.classic.constraints import Constraint
from stoker.classic.support import SupportStatus


@dataclass(frozen=True, slots=True)
class Options:
    """What plugins give by name only."""

    implemented: bool = True
    update_allowed: bool = False
    immutable: bool = False
    support_status: SupportStatus | None = None
    allow_conversion: bool = False


class Schema:
    """The declaration of one property, or of a list's items."""

    TYPES: ClassVar[tuple[str, ...]] = (
        "Integer", "String", "Number", "Boolean", "Map", "List", "Any",
    )  # fmt: skip
    INTEGER, STRING, NUMBER, BOOLEAN, MAP, LIST, ANY = TYPES

    def __init__(
        self,
        data_type: str,
        description: str | None = None,
        default: Any = None,
        schema: Any = None,
        required: bool = False,  # noqa: FBT001, FBT002 - plugins pass it by position
        constraints: Sequence[Constraint] | None = None,
        **options: Any,
    ) -> None:
        self.type, self.description, self.default = data_type, description, default
        self.schema, self.required = schema, required
        self.constraints: list[Constraint] = list(constraints or ())
        said = Options(**options)
        self.implemented, self.update_allowed = said.implemented, said.update_allowed
        self.immutable, self.allow_conversion = said.immutable, said.allow_conversion
        self.support_status = said.support_status or SupportStatus()

    def has_default(self) -> bool:
        return self.default is not None
