"""The client plugin of keystone."""

from __future__ import annotations

from stoker.classic.clients.keystone import KeystoneClientPlugin

__all__ = ["KeystoneClientPlugin"]
