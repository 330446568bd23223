"""Names of files in a template that was fetched from the web.

Rule: such a name is taken as it stands, since the service looks among the request's files alone.
Clients that fetch templates themselves make addresses of names, and send what is there along.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

_WEB: Final = ("http://", "https://")


def address(name: str, file: str) -> str:
    """Return what ``name`` would be in the template at the address ``file``.

    It is empty where the name is an address itself, or the template did not come from the web.
    """
    if not file.startswith(_WEB) or name.startswith(_WEB):
        return ""
    try:
        return urljoin(file, name)
    except ValueError:  # it could not have been fetched by either
        return ""


def unsent(name: str, file: str) -> str:
    """Return what to do where a file is not among those of the request; may be empty."""
    meant = address(name, file)
    return meant and (
        f"the template was fetched alone from {file}: send {meant} along as the file {name}, or"
        " have a client fetch both"
    )


def untyped(name: str, file: str) -> str:
    """Return the same for a file that is to be a type, which may be fetched too."""
    meant = address(name, file)
    return meant and f"{unsent(name, file)}, or write {meant} for the type"
