"""What an operator can set about the HTTP doors; names are those of Heat's options."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Sizes are in bytes, times in seconds.

    ``enable_proxy_headers_parsing`` believes X-Forwarded-* and Forwarded headers: only for
    installations where a proxy that sets them is the only way in. ``fetch_private_addresses``
    lets callers have templates fetched from where only this machine may come.
    ``reads_passwords``: what a request has in X-Auth-User and X-Auth-Key is the caller's; unless
    it is needed, a password that comes goes no further.
    """

    max_json_body_size: int = 1024 * 1024
    max_template_size: int = 512 * 1024
    template_fetch_timeout: float = 60.0
    fetch_private_addresses: bool = False
    max_nested_stack_depth: int = 5
    enable_proxy_headers_parsing: bool = False
    reads_passwords: bool = False
    heat_revision: str = "unknown"
