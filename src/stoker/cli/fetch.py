"""Reading what a template or an environment names: files, or URLs of the web, within limits.

Rule: a file is known by its absolute ``file://`` URL, so that equal names in different folders
stay apart.
"""

from __future__ import annotations

import base64
import urllib.request
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from stoker.errors import Unfetched

SCHEMES = ("file", "http", "https")
SECONDS = 60.0
MOST = 64 * 2**20
"""Bytes. No service takes requests that are nearly so large."""


class Unreadable(Exception):
    """Nothing can be read there; the text says why."""


def as_url(name: str) -> str:
    """Return the URL of a path; a URL stays as it is."""
    return name if urlsplit(name).scheme else Path(name).resolve().as_uri()


def folder_of(url: str) -> str:
    """Return the URL of the folder that a file's relative names are meant in."""
    path = urlsplit(url).path
    return urljoin(url, path.rpartition("/")[0] or "/")


def joined(folder: str, name: str) -> str:
    """Return the URL of a name in a folder."""
    return urljoin(folder if folder.endswith("/") else f"{folder}/", name)


def fetched(url: str) -> bytes:
    """Return what stands at the URL; raises :class:`Unreadable`."""
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise Unreadable(f"only {', '.join(SCHEMES)} can be read")
    return _file(parts.path) if parts.scheme == "file" else _site(url)


def _file(path: str) -> bytes:
    try:
        with Path(urllib.request.url2pathname(path)).open("rb") as file:
            content = file.read(MOST + 1)
    except (OSError, ValueError) as error:
        raise Unreadable(str(getattr(error, "strerror", None) or error)) from error
    if len(content) > MOST:
        raise Unreadable(f"it has more than {MOST} bytes")
    return content


def _site(url: str) -> bytes:
    from stoker.fetch import Limits, fetch  # slow to import, and seldom wanted

    try:
        # Whoever runs this may reach what this machine reaches.
        return fetch(url, Limits(MOST, SECONDS, private=True))
    except Unfetched as error:
        raise Unreadable(str(error)) from error


def as_text(content: bytes) -> str:
    """Return the content as requests carry it: what is not UTF-8 in base64."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return base64.encodebytes(content).decode("ascii")


def shown(url: str) -> str:
    """Return the URL as people would name it: a path from here where it is a file below."""
    parts = urlsplit(url)
    if parts.scheme != "file":
        return url
    path, here = Path(urllib.request.url2pathname(parts.path)), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
