"""The servers' collection: lists, show, update, delete."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from stoker.devcloud import clock, listing
from stoker.devcloud.exchange import Reply
from stoker.devcloud.neutron import agenda
from stoker.devcloud.nova import lifecycle, plug, problem
from stoker.devcloud.nova.ask import Ask, compute_route, read_text
from stoker.devcloud.nova.server import KIND, find, remove, store
from stoker.devcloud.nova.server_view import addresses, brief, shown

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_MOST = 1000
_DESCRIBED, _HOSTNAMED = 19, 90
_TAG_FILTERS = ("tags", "tags-any", "not-tags", "not-tags-any")
_FIELDS: dict[str, Callable[[Doc], object]] = {
    "uuid": lambda s: s["id"],
    "image": lambda s: s["image_id"],
    "flavor": lambda s: s["flavor"]["id"],
    "vm_state": lambda s: s["vm_state"],
    "task_state": lambda s: s["task_state"],
    "user_id": lambda s: s["user_id"],
    "project_id": lambda s: s["project_id"],
    "tenant_id": lambda s: s["project_id"],
    "key_name": lambda s: s["key_name"],
    "description": lambda s: s["description"],
    "host": lambda s: s["host"],
    "reservation_id": lambda s: s["reservation_id"],
    "locked": lambda s: s["locked"],
}
_ADMINS = {"host", "reservation_id", "project_id", "tenant_id", "user_id"}
_SORT_KEYS = {
    "created_at": "created",
    "updated_at": "updated",
    "display_name": "name",
    "uuid": "id",
}


@compute_route("GET", "servers")
def list_servers(ask: Ask) -> Doc:
    """Give servers by name and id."""
    docs, page = _listed(ask, "servers")
    return {"servers": [brief(ask, server) for server in docs], **page}


@compute_route("GET", "servers/detail")
def list_server_details(ask: Ask) -> Doc:
    """Give servers whole."""
    docs, page = _listed(ask, "servers/detail")
    return {"servers": [shown(ask, server, is_alone=False) for server in docs], **page}


@compute_route("GET", "servers/{server_id}")
def show_server(ask: Ask) -> Doc:
    """Give one server."""
    return {"server": shown(ask, find(ask))}


@compute_route("PUT", "servers/{server_id}")
def update_server(ask: Ask) -> Doc:
    """Change name, description or access addresses."""
    server, body = find(ask), ask.body("server")
    names = {"name", "accessIPv4", "accessIPv6", "OS-DCF:diskConfig"}
    names |= {"description"} if ask.since(_DESCRIBED) else set()
    names |= {"hostname"} if ask.since(_HOSTNAMED) else set()
    unknown = sorted(set(body) - names)
    if unknown:
        raise problem.invalid(
            "server",
            body,
            f"Additional properties are not allowed ('{unknown[0]}' was unexpected)",
        )
    changes = dict(body)
    if "name" in changes:
        changes["name"] = read_text(body, "name")
    if "OS-DCF:diskConfig" in changes:
        changes["disk_config"] = changes.pop("OS-DCF:diskConfig")
    return {"server": shown(ask, store(ask.cloud, {**server, **changes}))}


@compute_route("DELETE", "servers/{server_id}", status=204)
def delete_server(ask: Ask) -> Reply:
    """Have a server deleted; it stays to be seen for as long as that takes."""
    server = find(ask)
    check_unlocked(ask, server)
    begin_delete(ask, server)
    return Reply(status=204)


def begin_delete(ask: Ask, server: Doc) -> None:
    """Start a server's deletion; one that is being deleted just goes on."""
    if server["pending"] == "delete":
        return
    seconds = ask.cloud.latency.seconds("compute", "delete")
    if seconds <= 0:
        remove(ask.cloud, server)
        return
    deleting = {**lifecycle.begin(server, "delete"), "pending": "delete"}
    store(ask.cloud, deleting)
    agenda.put(ask.cloud, KIND, server["id"], seconds)


def check_unlocked(ask: Ask, server: Doc) -> None:
    """Refuse to touch a server that somebody locked."""
    if server["locked"] and not ask.caller.is_admin:
        raise problem.conflict(f"Instance {server['id']} is locked")


@compute_route("GET", "servers/{server_id}/ips")
def list_server_addresses(ask: Ask) -> Doc:
    """Give a server's addresses by network."""
    found = addresses(ask, plug.of(ask.as_service, find(ask)["id"]))
    return {"addresses": {name: [_plain(e) for e in each] for name, each in found.items()}}


@compute_route("GET", "servers/{server_id}/ips/{label}")
def show_server_addresses(ask: Ask) -> Doc:
    """Give a server's addresses on one network."""
    found = addresses(ask, plug.of(ask.as_service, find(ask)["id"]))
    label = ask.params["label"]
    if label not in found:
        raise problem.missing("Instance is not a member of specified network")
    return {label: [_plain(each) for each in found[label]]}


def _plain(address: Doc) -> Doc:
    return {"version": address["version"], "addr": address["addr"]}


def _listed(ask: Ask, path: str) -> tuple[list[Doc], Doc]:
    docs = [server for server in _candidates(ask) if _matches(ask, server)]
    query = ask.request.query
    keys = [_SORT_KEYS.get(key, key) for key in query.get("sort_key", [])]
    docs = listing.ordered(docs[::-1], keys, query.get("sort_dir", ["desc"] * len(keys)))
    docs, more = listing.paged(docs, ask.request)
    if len(docs) > _MOST:
        docs, more = docs[:_MOST], True
    if not more:
        return docs, {}
    href = f"{ask.href(path)}?{listing.next_query(ask.request, docs[-1]['id'])}"
    return docs, {"servers_links": [{"rel": "next", "href": href}]}


def _candidates(ask: Ask) -> list[Doc]:
    everybody = "all_tenants" in ask.request.query and ask.request.first("all_tenants") not in (
        "0",
        "false",
        "False",
    )
    if not everybody:
        return ask.state.list(KIND, project=ask.caller.project_id)
    ask.only_admin("servers:index:get_all_tenants")
    return ask.state.list(KIND)


def _matches(ask: Ask, server: Doc) -> bool:
    return (
        _has_fields(ask, server)
        and _has_status(ask, server)
        and _has_name(ask, server)
        and _has_tags(ask, server)
        and _has_address(ask, server)
        and _is_young(ask, server)
    )


def _has_fields(ask: Ask, server: Doc) -> bool:
    for name, field in _FIELDS.items():
        if name not in ask.request.query or (name in _ADMINS and not ask.caller.is_admin):
            continue
        wanted = {each.rpartition("/")[2].lower() for each in ask.request.query[name]}
        if listing.text(field(server)).lower() not in wanted:
            return False
    return True


def _has_status(ask: Ask, server: Doc) -> bool:
    wanted = {each.upper() for each in ask.request.query.get("status", [])}
    return not wanted or lifecycle.status(server) in wanted


def _has_name(ask: Ask, server: Doc) -> bool:
    return all(_found("name", p, server["name"]) for p in ask.request.query.get("name", []))


def _found(name: str, pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text, re.IGNORECASE) is not None
    except re.error:
        raise problem.bad_request(f"Invalid regular expression in the filter '{name}'") from None


def _has_tags(ask: Ask, server: Doc) -> bool:
    tags = set(server["tags"])
    for name in _TAG_FILTERS:
        if name not in ask.request.query:
            continue
        wanted = set(",".join(ask.request.query[name]).split(","))
        found = bool(wanted & tags) if name.endswith("any") else wanted <= tags
        if found == name.startswith("not"):
            return False
    return True


def _has_address(ask: Ask, server: Doc) -> bool:
    for name, mark in (("ip", "."), ("ip6", ":")):
        pattern = ask.request.first(name)
        if not pattern:
            continue
        ports = plug.of(ask.as_service, server["id"])
        found = [each["ip_address"] for port in ports for each in port["fixed_ips"]]
        if not any(mark in address and _found(name, pattern, address) for address in found):
            return False
    return True


def _is_young(ask: Ask, server: Doc) -> bool:
    for name in ("changes-since", "changes-before"):
        moment = ask.request.first(name)
        if not moment:
            continue
        try:
            difference = clock.parsed(server["updated"]) - clock.parsed(moment)
        except ValueError:
            raise problem.invalid(name, moment, f"'{moment}' is not a 'date-time'") from None
        if (difference < 0) if name == "changes-since" else (difference > 0):
            return False
    return True
