"""Points in time as Heat writes them, in answers and in what it tells others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def moment(time: datetime | None) -> str | None:
    """Return ``YYYY-MM-DDThh:mm:ssZ``; ``time`` is in UTC."""
    return None if time is None else f"{time.isoformat()[:19]}Z"
