"""Constraints."""

from __future__ import annotations

from stoker.classic.constraints import (
    AllowedPattern,
    AllowedValues,
    BaseCustomConstraint,
    Constraint,
    CustomConstraint,
    Length,
    Modulo,
    Range,
)

__all__ = [
    "AllowedPattern",
    "AllowedValues",
    "BaseCustomConstraint",
    "Constraint",
    "CustomConstraint",
    "Length",
    "Modulo",
    "Range",
]
