"""Support status."""

from __future__ import annotations

from stoker.classic.support import (
    DEPRECATED,
    HIDDEN,
    SUPPORT_STATUSES,
    SUPPORTED,
    UNKNOWN,
    UNSUPPORTED,
    SupportStatus,
)

__all__ = [
    "DEPRECATED",
    "HIDDEN",
    "SUPPORTED",
    "SUPPORT_STATUSES",
    "UNKNOWN",
    "UNSUPPORTED",
    "SupportStatus",
]
