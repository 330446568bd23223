"""Reading what a template or an environment names: files, or URLs of the web.

Rule: a file is known by its absolute ``file://`` URL, so that equal names in different folders
stay apart.
"""

from __future__ import annotations

import base64
import urllib.request
from pathlib import Path
from urllib.parse import urljoin, urlsplit

SCHEMES = ("file", "http", "https")
SECONDS = 60.0


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
    if urlsplit(url).scheme not in SCHEMES:
        raise Unreadable(f"only {', '.join(SCHEMES)} can be read")
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:  # noqa: S310 - checked above
            content: bytes = answer.read()
            return content
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise Unreadable(str(getattr(reason, "strerror", None) or reason)) from error


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
