"""The client plugin of openstacksdk."""

from __future__ import annotations

from stoker.classic.clients.openstacksdk import OpenStackSDKPlugin

__all__ = ["OpenStackSDKPlugin"]
