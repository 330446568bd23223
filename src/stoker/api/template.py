"""The template of a request, given as it is or by its address, within the limit of its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import orjson

from stoker.api.fetch import fetch
from stoker.errors import LimitExceeded
from stoker.fetch import Limits

if TYPE_CHECKING:
    from stoker.api.settings import Settings


def origin_of(template: object, url: str | None) -> str:
    """Return what a template is called in places: its address, where :func:`template_of` asks
    that, without what lets somebody in."""
    if template is not None or url is None:
        return "template"
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def template_of(
    template: str | dict[str, Any] | None, url: str | None, settings: Settings
) -> str | dict[str, Any] | None:
    """Return the template, fetched from ``url`` where it is not given; None without either."""
    limit = settings.max_template_size
    if template is None:
        if url is None:
            return None
        private = settings.fetch_private_addresses
        return fetch(url, Limits(limit, settings.template_fetch_timeout, private))
    size = len(template if isinstance(template, str) else orjson.dumps(template))
    if size > limit:
        raise LimitExceeded(
            f"Template size ({size} bytes) exceeds maximum allowed size ({limit} bytes)."
        )
    return template
