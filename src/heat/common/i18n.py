"""Marks of translated texts."""

from __future__ import annotations

from stoker.classic.i18n import _LC, _LE, _LI, _LW, _

__all__ = ["_LC", "_LE", "_LI", "_LW", "_"]
