"""Addresses in answers: absolute, through the host and prefix that the client used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.usecases.stacks import StackRef

_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")
_DEFAULT_PORT = {"http": ":80", "https": ":443"}


def application_url(environ: WSGIEnvironment) -> str:
    """Return scheme, host and mount point, without a slash at the end."""
    scheme = environ["wsgi.url_scheme"]
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    mount = quote(environ.get("SCRIPT_NAME", "").rstrip("/"), encoding="latin-1")
    return f"{scheme}://{host.removesuffix(_DEFAULT_PORT.get(scheme, ''))}{mount}"


class Link:
    """Builds the addresses of one request's answer; ``base`` ends in ``/v1``."""

    __slots__ = ("_address", "_ref", "_stacks", "base")

    def __init__(self, base: str) -> None:
        self.base = base
        self._stacks: dict[StackRef, str] = {}  # a list has one stack's address again and again
        self._ref: StackRef | None = None  # the last that was asked for, which costs no hash
        self._address = ""

    def stacks(self, project_id: str) -> str:
        return f"{self.base}/{_quoted(project_id)}/stacks"

    def stack(self, ref: StackRef) -> str:
        if ref is self._ref:
            return self._address
        known = self._stacks.get(ref)
        if known is None:
            known = f"{self.stacks(ref.project_id)}/{_quoted(ref.name)}/{_quoted(ref.id)}"
            self._stacks[ref] = known
        self._ref, self._address = ref, known
        return known

    def resource(self, ref: StackRef, name: str) -> str:
        return f"{self.stack(ref)}/resources/{_quoted(name)}"

    def tail(self, path: str) -> str:
        """Return a path below one of these addresses, fit to be put behind it."""
        return quote(path)


def _quoted(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else quote(part, safe="")


def labelled(href: str, rel: str) -> dict[str, Any]:
    """Return the link object that stands in a list of ``links``."""
    return {"href": href, "rel": rel}
