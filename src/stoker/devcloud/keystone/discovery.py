"""Keystone's version documents.

Rule: open to all; the list of versions is a 300, as it always was.
"""

from __future__ import annotations

from typing import Any

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc


def _version(request: Request) -> dict[str, Any]:
    return {
        "id": "v3.14",
        "status": "stable",
        "updated": "2020-04-07T00:00:00Z",
        "links": [{"rel": "self", "href": f"{request.cloud.url}/identity/v3/"}],
        "media-types": [
            {"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}
        ],
    }


@route("GET", "/identity", public=True)
def list_versions(request: Request) -> Reply:
    """Give the versions."""
    return Reply({"versions": {"values": [_version(request)]}}, status=300)


@route("GET", "/identity/v3", public=True)
def show_version(request: Request) -> Doc:
    """Give the one version."""
    return {"version": _version(request)}
