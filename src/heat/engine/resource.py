"""The base of resources."""

from __future__ import annotations

from stoker.classic.exception import ResourceInError, ResourceUnknownStatus, UpdateReplace
from stoker.classic.resource import PollDelay, Resource

__all__ = ["PollDelay", "Resource", "ResourceInError", "ResourceUnknownStatus", "UpdateReplace"]
