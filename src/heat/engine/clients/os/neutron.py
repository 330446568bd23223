"""The client plugin of neutron."""

from __future__ import annotations

from stoker.classic.clients.neutron import NeutronClientPlugin

__all__ = ["NeutronClientPlugin"]
