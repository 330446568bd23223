"""Words for the shapes of requests and answers: JSON Schema, as OpenAPI 3.1 has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Schema = dict[str, Any]

ANY: Final[Schema] = {}
TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer", "minimum": 0}
FLAG: Final[Schema] = {"type": "boolean"}
NOTHING: Final[Schema] = {"type": "null"}
MOMENT: Final[Schema] = {"type": "string", "format": "date-time"}
MAP: Final[Schema] = {"type": "object"}
TEXTS: Final[Schema] = {"type": "object", "additionalProperties": TEXT}


def either(*schemas: Schema) -> Schema:
    """Return what fits one of them at least."""
    return {"anyOf": list(schemas)}


def perhaps(schema: Schema) -> Schema:
    """Return the schema, or null."""
    return either(schema, NOTHING)


def items(schema: Schema) -> Schema:
    """Return a list of such."""
    return {"type": "array", "items": schema}


def one_of(words: Iterable[str]) -> Schema:
    """Return one of some words."""
    return {"type": "string", "enum": list(words)}


def keys(always: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None) -> Schema:
    """Return a map of these keys and no other."""
    return {
        "type": "object",
        "properties": {**always, **(sometimes or {})},
        "required": list(always),
        "additionalProperties": False,
    }


def fields(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return a body in which other keys do no harm, and a null is as good as none."""
    others = {name: perhaps(schema) for name, schema in (optional or {}).items()}
    return {"type": "object", "properties": {**needed, **others}, "required": list(needed)}


def shape(name: str) -> Schema:
    """Return the shape that has this name among the document's own."""
    return {"$ref": f"#/components/schemas/{name}"}


@dataclass(frozen=True, slots=True)
class Operation:
    """What a route takes, and what it answers when all is well.

    ``answers`` maps statuses to shapes, None: no body. ``query`` holds single values; of those in
    ``repeated`` there may be several.
    """

    answers: Mapping[int, Schema | None]
    query: Mapping[str, Schema] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    body: Schema | None = None
    streams: bool = False


def gives(schema: Schema, **more: Any) -> Operation:
    """Return what answers 200 with such a body."""
    return Operation({200: schema}, **more)
