"""The base of client plugins."""

from __future__ import annotations

from stoker.classic.clients.client_plugin import ClientPlugin

__all__ = ["ClientPlugin"]
