"""The catalog: regions, services and endpoints, and how a token's bearer sees them.

Rule: the endpoints of this process follow the address that it listens on now; only what somebody
set by hand is kept as a URL.
"""

from __future__ import annotations

from typing import Any

from stoker.devcloud.cloud import Cloud, new_hex
from stoker.devcloud.state import Doc, index

REGION, SERVICE, ENDPOINT = "identity.region", "identity.service", "identity.endpoint"
INTERFACES = ("public", "internal", "admin")
_SEEDED = {
    "identity": ("keystone", "/identity"),
    "compute": ("nova", "/compute/v2.1"),
    "image": ("glance", "/image"),
    "network": ("neutron", "/networking"),
    "volumev3": ("cinder", "/volume/v3/%(project_id)s"),
    "block-storage": ("cinder", "/volume/v3/%(project_id)s"),
    "orchestration": ("heat", ""),
    "cloudformation": ("heat-cfn", ""),
}

index(ENDPOINT, "service_id")
index(SERVICE, "type")


def url_of(cloud: Cloud, endpoint: Doc) -> str:
    """Give an endpoint's URL, with its placeholder for the project."""
    own = endpoint.get("own")
    if not own:
        return str(endpoint["url"])
    if own == "orchestration":
        return cloud.options.orchestration_url
    if own == "cloudformation":
        return cloud.options.cloudformation_url
    return f"{cloud.url}{_SEEDED[own][1]}"


def catalog(cloud: Cloud, project_id: str) -> list[dict[str, Any]]:
    """Give the catalog; without a project, endpoints whose URL needs one are left out."""
    shown = []
    for service in cloud.state.list(SERVICE):
        if not service["enabled"]:
            continue
        found = cloud.state.list(ENDPOINT, where={"service_id": service["id"]})
        endpoints = [_shown(cloud, each, project_id) for each in found if each["enabled"]]
        shown.append(
            {
                "id": service["id"],
                "type": service["type"],
                "name": service.get("name", ""),
                "endpoints": [each for each in endpoints if each],
            }
        )
    return shown


def _shown(cloud: Cloud, endpoint: Doc, project_id: str) -> dict[str, Any] | None:
    url = url_of(cloud, endpoint)
    for mark in ("%(project_id)s", "%(tenant_id)s", "$(project_id)s", "$(tenant_id)s"):
        if mark in url and not project_id:
            return None
        url = url.replace(mark, project_id)
    return {
        "id": endpoint["id"],
        "interface": endpoint["interface"],
        "region": endpoint["region_id"],
        "region_id": endpoint["region_id"],
        "url": url,
    }


def seed(cloud: Cloud) -> None:
    """Put the region, the services and their endpoints in place."""
    region = cloud.options.region
    cloud.state.insert(REGION, {"id": region, "description": "", "parent_region_id": None})
    complete(cloud)


def complete(cloud: Cloud) -> None:
    """Add the services that this process has and the catalog has not: a state may be older."""
    for type, (name, _) in _SEEDED.items():
        if not cloud.state.count(SERVICE, where={"type": type}):
            declare(cloud, type, name)


def declare(cloud: Cloud, type: str, name: str, url: str = "") -> None:
    """Add a service with its three endpoints; without ``url`` it is one of this process's own."""
    service = {"id": new_hex(), "name": name, "type": type, "enabled": True, "description": ""}
    cloud.state.insert(SERVICE, service)
    for interface in INTERFACES:
        endpoint = {
            "id": new_hex(),
            "service_id": service["id"],
            "interface": interface,
            "region_id": cloud.options.region,
            "enabled": True,
            "name": "",
        }
        place = {"url": url} if url else {"own": type, "url": ""}
        cloud.state.insert(ENDPOINT, {**endpoint, **place})
