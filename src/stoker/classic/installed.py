"""What installed packages offer to Heat: the entry points, none of them imported.

Rule: this is quick to import, so that whoever has no plugins does not wait for what reads them.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Final

RESOURCES: Final = "heat.engine.resources"
CONSTRAINTS: Final = "heat.constraints"


def resources() -> tuple[EntryPoint, ...]:
    """Return the types and the modules of types."""
    return tuple(entry_points(group=RESOURCES))


def constraints() -> tuple[EntryPoint, ...]:
    """Return the custom constraints."""
    return tuple(entry_points(group=CONSTRAINTS))
