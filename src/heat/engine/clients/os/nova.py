"""The client plugin of nova."""

from __future__ import annotations

from stoker.classic.clients.nova import NovaClientPlugin

__all__ = ["NovaClientPlugin"]
