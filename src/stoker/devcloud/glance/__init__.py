"""Glance v2: images, their data, tags and schemas.

Rule: importing it puts its calls in the table.
"""

from __future__ import annotations

from stoker.devcloud.glance import contents, document, images, imports, members
from stoker.devcloud.glance.imports import resume
from stoker.devcloud.glance.seed import seed

CALLS = (contents, document, images, imports, members)
"""The modules whose calls are in the table."""

__all__ = ["CALLS", "resume", "seed"]
