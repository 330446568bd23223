"""Ids that we choose, where a service lets its callers choose them: the best of marks.

Rule: the id follows from the mark alone, so that whoever goes on after a crash looks for the
same object.
"""

from __future__ import annotations

import uuid
from typing import Final

_SPACE: Final = uuid.UUID("5b0f1a5e-7d0c-4a35-9d8e-2f6f0c1f4e9a")


def chosen_id(mark: str) -> str:
    """Return the UUID that goes with a mark."""
    return str(uuid.uuid5(_SPACE, mark))
