"""What is wrong with a configuration."""

from __future__ import annotations

from stoker.errors import StokerError


class Misconfigured(StokerError):
    """An option is missing or cannot be used; the text says which, where, and what to do."""
