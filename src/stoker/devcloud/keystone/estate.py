"""Regions, services and endpoints: the catalog's collections.

Rule: reading regions is open to everybody with a token; the rest is an admin's.
"""

from __future__ import annotations

from stoker.devcloud.cloud import new_hex
from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import policy
from stoker.devcloud.keystone.catalog import ENDPOINT, INTERFACES, REGION, SERVICE, url_of
from stoker.devcloud.keystone.entity import V3, Entity, declare, required, shown
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc, Taken


def _fresh_region(request: Request, wanted: Doc) -> Doc:
    if wanted.get("parent_region_id"):
        policy.found(request, REGION, wanted["parent_region_id"])
    defaults: Doc = {"description": "", "parent_region_id": None}
    return {**defaults, **wanted, "id": wanted.get("id") or new_hex()}


def _region_removed(request: Request, region: Doc) -> None:
    used = [e for e in request.state.list(ENDPOINT) if e["region_id"] == region["id"]]
    children = [r for r in request.state.list(REGION) if r["parent_region_id"] == region["id"]]
    if used or children:
        raise Refusal(403, f"Unable to delete region {region['id']}: it is in use.")


def _fresh_service(_request: Request, wanted: Doc) -> Doc:
    required(wanted, "type")
    return {"enabled": True, "name": "", "description": "", **wanted, "id": new_hex()}


def _service_removed(request: Request, service: Doc) -> None:
    for endpoint in request.state.list(ENDPOINT, where={"service_id": service["id"]}):
        request.state.delete(ENDPOINT, endpoint["id"])


def _fresh_endpoint(request: Request, wanted: Doc) -> Doc:
    required(wanted, "interface", "service_id", "url")
    if wanted["interface"] not in INTERFACES:
        raise Refusal(400, f"{wanted['interface']} is no interface of an endpoint")
    policy.found(request, SERVICE, wanted["service_id"])
    region = wanted.get("region_id") or wanted.get("region") or request.cloud.options.region
    if request.state.get(REGION, region) is None:
        raise Refusal(400, f"Could not find region: {region}.")
    return {"enabled": True, "name": "", **wanted, "region_id": region, "id": new_hex()}


def _endpoint_changed(_request: Request, _old: Doc, wanted: Doc) -> Doc:
    return {**wanted, "own": None} if "url" in wanted else wanted


def _endpoint_view(request: Request, endpoint: Doc) -> Doc:
    bare = {name: value for name, value in endpoint.items() if name != "own"}
    return {**bare, "region": endpoint["region_id"], "url": url_of(request.cloud, endpoint)}


REGION_ENTITY = Entity(
    singular="region",
    plural="regions",
    fresh=_fresh_region,
    filters=("parent_region_id",),
    may_read=lambda _request, _region: True,
    may_list=True,
    removed=_region_removed,
)
for _entity in (
    REGION_ENTITY,
    Entity(
        singular="service",
        plural="services",
        fresh=_fresh_service,
        filters=("type",),
        removed=_service_removed,
    ),
    Entity(
        singular="endpoint",
        plural="endpoints",
        fresh=_fresh_endpoint,
        filters=("interface", "service_id", "region_id"),
        changed=_endpoint_changed,
        view=_endpoint_view,
    ),
):
    declare(_entity)


@route("PUT", f"{V3}/regions/{{id}}", status=201)
def put_region(request: Request) -> Doc:
    """Create a region with an id of the caller's choice."""
    policy.require_admin(request)
    wanted = {**request.wrapped("region"), "id": request.params["id"]}
    try:
        region = request.state.insert(REGION, _fresh_region(request, wanted))
    except Taken as taken:
        text = f"Conflict occurred attempting to store region - duplicate ID {wanted['id']}."
        raise Refusal(409, text) from taken
    return {"region": shown(REGION_ENTITY, request, region)}
