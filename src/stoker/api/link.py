"""Addresses in answers: absolute, through the host and prefix that the client used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.usecases.stacks import StackRef

_DEFAULT_PORT = {"http": ":80", "https": ":443"}


def application_url(environ: WSGIEnvironment) -> str:
    """Return scheme, host and mount point, without a slash at the end."""
    scheme = environ["wsgi.url_scheme"]
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    mount = quote(environ.get("SCRIPT_NAME", "").rstrip("/"), encoding="latin-1")
    return f"{scheme}://{host.removesuffix(_DEFAULT_PORT.get(scheme, ''))}{mount}"


class Link:
    """Builds the addresses of one request's answer; ``base`` ends in ``/v1``."""

    __slots__ = ("base",)

    def __init__(self, base: str) -> None:
        self.base = base

    def stacks(self, project_id: str) -> str:
        return f"{self.base}/{quote(project_id, safe='')}/stacks"

    def stack(self, ref: StackRef) -> str:
        return f"{self.stacks(ref.project_id)}/{quote(ref.name, safe='')}/{quote(ref.id, safe='')}"

    def resource(self, ref: StackRef, name: str) -> str:
        return f"{self.stack(ref)}/resources/{quote(name, safe='')}"

    def tail(self, path: str) -> str:
        """Return a path below one of these addresses, fit to be put behind it."""
        return quote(path)


def labelled(href: str, rel: str) -> dict[str, Any]:
    """Return the link object that stands in a list of ``links``."""
    return {"href": href, "rel": rel}
