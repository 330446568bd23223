"""Property schemas, and properties."""

from __future__ import annotations

from stoker.classic.properties import Properties, Schema

__all__ = ["Properties", "Schema"]
