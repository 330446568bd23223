"""Clients."""

from __future__ import annotations

from stoker.classic.clients import Clients, has_client

__all__ = ["Clients", "has_client"]
