"""What rules look at: a template that can be read, its text, and every call in it.

Rule: paths are in HOT's words, whatever the format; the template's places know them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from stoker.errors import Code, Path, Problem, Severity
from stoker.lang.syntax import Call, Expr, Template

_OF_RESOURCES: Final = (
    "properties",
    "metadata",
    "update_policy",
    "deletion_policy",
    "external_id",
    "condition",
)


@dataclass(frozen=True)
class Subject:
    """A template and the text that it was read from."""

    template: Template
    text: str

    def warning(self, text: str, at: Path, code: Code) -> Problem:
        """Return a warning about what stands at ``at``."""
        place = self.template.places.nearest(at)
        return Problem(text, at, place, code=code, severity=Severity.WARNING)

    def expressions(self) -> Iterator[tuple[Path, Expr]]:
        """Give every expression with its path."""
        template = self.template
        for name, condition in template.conditions.items():
            yield ("conditions", name), condition
        for name, resource in template.resources.items():
            for key in _OF_RESOURCES:
                yield ("resources", name, key), getattr(resource, key)
        for name, output in template.outputs.items():
            yield ("outputs", name, "value"), output.value
            yield ("outputs", name, "condition"), output.condition

    def calls(self) -> Iterator[tuple[Path, Call]]:
        """Give every call with its path, outer ones before those in them."""
        for at, expr in self.expressions():
            yield from calls_in(expr, at)


def calls_in(expr: Expr, at: Path) -> Iterator[tuple[Path, Call]]:
    """Give every call in an expression that stands at ``at``."""
    if isinstance(expr, Call):
        within = (*at, expr.name)
        yield within, expr
        yield from calls_in(expr.args, within)
    elif isinstance(expr, dict | list):
        for step, each in expr.items() if isinstance(expr, dict) else enumerate(expr):
            yield from calls_in(each, (*at, step))
