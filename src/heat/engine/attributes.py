"""Attribute schemas."""

from __future__ import annotations

from stoker.classic.attributes import SHOW_ATTR, Schema

__all__ = ["SHOW_ATTR", "Schema"]
