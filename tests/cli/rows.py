"""Rows of the API's lists, as short as a test can write them."""

from __future__ import annotations

from typing import Any

from stoker.cli.progress import Progress, advanced

ROOT = "root-id"


def stack_link(id: str, relation: str = "stack") -> dict[str, str]:
    return {"rel": relation, "href": f"http://heat/v1/p/stacks/some-name/{id}"}


def row(
    name: str, status: str, *required_by: str, within: str = ROOT, nested: str = "", **more: str
) -> dict[str, Any]:
    """Return a resource; ``within`` is its stack's id, ``nested`` the id of the one in it."""
    links = [stack_link(within)] + ([stack_link(nested, "nested")] if nested else [])
    return {
        "resource_name": name,
        "resource_type": "OS::Heat::Value",
        "resource_status": status,
        "resource_status_reason": "",
        "required_by": list(required_by),
        "links": links,
        **more,
    }


def event(name: str, status: str, *, within: str = ROOT, of: str = "", reason: str = "") -> Any:
    """Return an event; ``of`` is the physical id of what it is about."""
    return {
        "id": f"{name}-{status}",
        "event_time": "2030-01-01T00:00:00Z",
        "resource_name": name,
        "resource_status": status,
        "resource_status_reason": reason,
        "physical_resource_id": of,
        "links": [stack_link(within)],
    }


def looked(action: str, *looks: list[dict[str, Any]]) -> Progress:
    """Return the progress after looks that are a second apart."""
    progress = Progress(action)
    for second, listed in enumerate(looks):
        progress = advanced(progress, listed, float(second))
    return progress
