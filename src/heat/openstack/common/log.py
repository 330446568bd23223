"""Loggers, for old plugins."""

from __future__ import annotations

from logging import getLogger

__all__ = ["getLogger"]
