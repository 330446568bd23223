"""A server's properties as Nova shows them now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from stoker.errors import CloudNotFound
from stoker.resources.nova.server_props import ServerProps
from stoker.resources.nova.server_state import GONE, user_tags
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At


def properties(at: At[ServerProps], server: Mapping[str, Any], cloud: Cloud) -> Mapping[str, Any]:
    """Return name, metadata, tags and flavor. Raises CloudNotFound for one that Nova only keeps
    for a while."""
    if server["status"] in GONE:
        raise CloudNotFound("the server is deleted", service="compute", status=404)
    return {
        "name": server["name"],
        "metadata": server.get("metadata") or {},
        "tags": sorted(user_tags(server)),
        "flavor": _flavor(at, server, cloud),
    }


def _flavor(at: At[ServerProps], server: Mapping[str, Any], cloud: Cloud) -> str:
    """Return the flavor as the template names it, if that is still its own."""
    name = str(server["flavor"].get("original_name"))
    flavor_id = cloud.compute.find("flavor", at.props.flavor)
    wanted = cloud.compute.get(f"/flavors/{quote(flavor_id, safe='')}")["flavor"]["name"]
    return at.props.flavor if name == wanted else name
