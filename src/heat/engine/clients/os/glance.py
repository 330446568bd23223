"""The client plugin of glance."""

from __future__ import annotations

from stoker.classic.clients.glance import GlanceClientPlugin

__all__ = ["GlanceClientPlugin"]
