"""Flavors: sizes of servers, and who may use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud import listing
from stoker.devcloud.cloud import new_id
from stoker.devcloud.nova import problem
from stoker.devcloud.nova.ask import Ask, compute_route, read_text

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc, State

KIND = "compute.flavor"
_SEEDED = {
    "m1.nano": ("42", 192, 1, 1),
    "m1.tiny": ("1", 512, 1, 1),
    "m1.small": ("2", 2048, 20, 1),
    "m1.medium": ("3", 4096, 40, 2),
    "m1.large": ("4", 8192, 80, 4),
    "m1.xlarge": ("5", 16384, 160, 8),
}
_SPECS_SHOWN, _DESCRIBED, _SWAP_NUMBER = 61, 55, 75
_INTEGERS = ("ram", "vcpus", "disk", "swap", "OS-FLV-EXT-DATA:ephemeral")


def seed(cloud: Cloud) -> None:
    """Make the flavors of a new cloud."""
    for name, (id, ram, disk, vcpus) in _SEEDED.items():
        values = {"id": id, "name": name, "ram": ram, "disk": disk, "vcpus": vcpus}
        cloud.state.insert(KIND, _document(values))


def _document(values: Doc) -> Doc:
    return {
        "swap": 0,
        "ephemeral": 0,
        "rxtx_factor": 1.0,
        "is_public": True,
        "description": None,
        "extra_specs": {},
        "access": [],
        **values,
    }


def usable(state: State, caller_project: str, id: str, *, is_admin: bool) -> Doc | None:
    """Give the flavor that a project may use under an id, or None."""
    flavor = state.get(KIND, id)
    if flavor is None or is_admin or flavor["is_public"] or caller_project in flavor["access"]:
        return flavor
    return None


def find(ask: Ask) -> Doc:
    """Give the flavor that the path names, or 404."""
    id = ask.params["flavor_id"]
    flavor = usable(ask.state, ask.caller.project_id, id, is_admin=ask.caller.is_admin)
    if flavor is None:
        raise problem.missing(f"Flavor {id} could not be found.")
    return flavor


def shown(ask: Ask, flavor: Doc) -> Doc:
    """Give a flavor as clients see it."""
    body = {
        "id": flavor["id"],
        "name": flavor["name"],
        "ram": flavor["ram"],
        "disk": flavor["disk"],
        "swap": flavor["swap"] or (0 if ask.since(_SWAP_NUMBER) else ""),
        "OS-FLV-EXT-DATA:ephemeral": flavor["ephemeral"],
        "OS-FLV-DISABLED:disabled": False,
        "vcpus": flavor["vcpus"],
        "os-flavor-access:is_public": flavor["is_public"],
        "rxtx_factor": flavor["rxtx_factor"],
        "links": ask.links(f"flavors/{flavor['id']}"),
    }
    if ask.since(_DESCRIBED):
        body["description"] = flavor["description"]
    if ask.since(_SPECS_SHOWN):
        body["extra_specs"] = flavor["extra_specs"]
    return body


def _listed(ask: Ask) -> tuple[list[Doc], bool]:
    query = ask.request.query
    docs = ask.state.list(KIND)
    wanted = ask.request.first("is_public", "true").lower()
    if not ask.caller.is_admin or wanted not in ("none", "false"):
        docs = [f for f in docs if f["is_public"] or ask.caller.project_id in f["access"]]
    elif wanted == "false":
        docs = [f for f in docs if not f["is_public"]]
    for parameter, field in (("minRam", "ram"), ("minDisk", "disk")):
        least = ask.request.first(parameter, "0")
        if not least.isdigit():
            raise problem.bad_request(f"Invalid {parameter} filter [{least}]")
        docs = [f for f in docs if f[field] >= int(least)]
    key = {"flavorid": "id", "memory_mb": "ram", "root_gb": "disk"}
    sort = query.get("sort_key", ["flavorid"])
    docs = listing.ordered(docs, [key.get(k, k) for k in sort], query.get("sort_dir", []))
    return listing.paged(docs, ask.request)


def _page(ask: Ask, docs: list[Doc], *, more: bool, path: str) -> Doc:
    if not more:
        return {}
    query = listing.next_query(ask.request, docs[-1]["id"])
    return {"flavors_links": [{"rel": "next", "href": f"{ask.href(path)}?{query}"}]}


@compute_route("GET", "flavors")
def list_flavors(ask: Ask) -> Doc:
    """Give the flavors' names."""
    docs, more = _listed(ask)
    names = ("id", "name", "links") + (("description",) if ask.since(_DESCRIBED) else ())
    brief = [{name: shown(ask, flavor)[name] for name in names} for flavor in docs]
    return {"flavors": brief, **_page(ask, docs, more=more, path="flavors")}


@compute_route("GET", "flavors/detail")
def list_flavor_details(ask: Ask) -> Doc:
    """Give the flavors."""
    docs, more = _listed(ask)
    page = _page(ask, docs, more=more, path="flavors/detail")
    return {"flavors": [shown(ask, flavor) for flavor in docs], **page}


@compute_route("GET", "flavors/{flavor_id}")
def show_flavor(ask: Ask) -> Doc:
    """Give one flavor; by its id alone, names are no ids."""
    return {"flavor": shown(ask, find(ask))}


@compute_route("POST", "flavors")
def create_flavor(ask: Ask) -> Doc:
    """Make a flavor."""
    ask.only_admin("os-flavor-manage:create")
    body = ask.body("flavor")
    numbers = {name: _number(body, name) for name in _INTEGERS}
    ephemeral = numbers.pop("OS-FLV-EXT-DATA:ephemeral")
    given = body.get("id") or body.get("flavorid")
    values = {
        "id": str(given) if given not in (None, "auto") else new_id(),
        "name": read_text(body, "name"),
        "ephemeral": ephemeral,
        "rxtx_factor": _factor(body),
        "is_public": bool(body.get("os-flavor-access:is_public", True)),
        "description": body.get("description"),
        **numbers,
    }
    _check_new(ask.state, values)
    return {"flavor": shown(ask, ask.state.insert(KIND, _document(values)))}


def _number(body: Doc, name: str) -> int:
    value = body.get(name)
    needed = name in ("ram", "vcpus", "disk")
    if value is None and not needed:
        return 0
    if value is None:
        raise problem.invalid("flavor", body, f"'{name}' is a required property")
    least = 1 if name in ("ram", "vcpus") else 0
    if not str(value).isdigit() or int(value) < least:
        raise problem.invalid(name, value, f"{value} is less than the minimum of {least}")
    return int(value)


def _factor(body: Doc) -> float:
    try:
        return float(body.get("rxtx_factor") or 1.0)
    except (TypeError, ValueError):
        raise problem.invalid("rxtx_factor", body["rxtx_factor"], "is not a number") from None


def _check_new(state: State, values: Doc) -> None:
    if state.get(KIND, values["id"]):
        raise problem.conflict(f"Flavor with ID {values['id']} already exists.")
    if state.list(KIND, name=values["name"]):
        raise problem.conflict(f"Flavor with name {values['name']} already exists.")


@compute_route("PUT", "flavors/{flavor_id}", since=55)
def update_flavor(ask: Ask) -> Doc:
    """Change a flavor's description."""
    ask.only_admin("os-flavor-manage:update")
    flavor = find(ask) | {"description": ask.body("flavor").get("description")}
    return {"flavor": shown(ask, ask.state.update(KIND, flavor))}


@compute_route("DELETE", "flavors/{flavor_id}", status=202)
def delete_flavor(ask: Ask) -> Doc:
    """Delete a flavor; servers keep what they had of it."""
    ask.only_admin("os-flavor-manage:delete")
    ask.state.delete(KIND, find(ask)["id"])
    return {}


@compute_route("GET", "flavors/{flavor_id}/os-extra_specs")
def list_extra_specs(ask: Ask) -> Doc:
    """Give a flavor's extra specs."""
    return {"extra_specs": find(ask)["extra_specs"]}


@compute_route("POST", "flavors/{flavor_id}/os-extra_specs")
def create_extra_specs(ask: Ask) -> Doc:
    """Set some of a flavor's extra specs."""
    ask.only_admin("os-flavor-extra-specs:create")
    flavor = find(ask)
    specs = {name: str(value) for name, value in ask.body("extra_specs").items()}
    ask.state.update(KIND, {**flavor, "extra_specs": {**flavor["extra_specs"], **specs}})
    return {"extra_specs": specs}


@compute_route("GET", "flavors/{flavor_id}/os-extra_specs/{key}")
def show_extra_spec(ask: Ask) -> Doc:
    """Give one extra spec."""
    return {ask.params["key"]: find(ask)["extra_specs"][_spec(ask)]}


@compute_route("PUT", "flavors/{flavor_id}/os-extra_specs/{key}")
def update_extra_spec(ask: Ask) -> Doc:
    """Set one extra spec."""
    ask.only_admin("os-flavor-extra-specs:update")
    flavor, key, body = find(ask), ask.params["key"], ask.request.json()
    if not isinstance(body, dict) or key not in body:
        raise problem.bad_request("Request body and URI mismatch")
    flavor["extra_specs"][key] = str(body[key])
    ask.state.update(KIND, flavor)
    return {key: flavor["extra_specs"][key]}


@compute_route("DELETE", "flavors/{flavor_id}/os-extra_specs/{key}")
def delete_extra_spec(ask: Ask) -> Doc:
    """Remove one extra spec."""
    ask.only_admin("os-flavor-extra-specs:delete")
    flavor = find(ask)
    flavor["extra_specs"].pop(_spec(ask))
    ask.state.update(KIND, flavor)
    return {}


def _spec(ask: Ask) -> str:
    flavor, key = find(ask), ask.params["key"]
    if key not in flavor["extra_specs"]:
        raise problem.missing(f"Flavor {flavor['id']} has no extra specs with key {key}.")
    return key


@compute_route("GET", "flavors/{flavor_id}/os-flavor-access")
def list_flavor_access(ask: Ask) -> Doc:
    """Give the projects that may use a private flavor."""
    ask.only_admin("os-flavor-access")
    flavor = find(ask)
    if flavor["is_public"]:
        raise problem.missing("Access list not available for public flavors.")
    return _access(flavor)


@compute_route("POST", "flavors/{flavor_id}/action")
def change_flavor_access(ask: Ask) -> Doc:
    """Let a project use a private flavor, or no longer."""
    ask.only_admin("os-flavor-access:add_tenant_access")
    flavor, body = find(ask), ask.request.json()
    name = next(iter(body), "") if isinstance(body, dict) else ""
    if name not in ("addTenantAccess", "removeTenantAccess"):
        raise problem.bad_request("There is no such action: " + name)
    tenant = read_text(body[name], "tenant")
    had = tenant in flavor["access"]
    if name == "addTenantAccess":
        if had:
            raise problem.conflict(
                f"Flavor access already exists for flavor {flavor['id']} and project {tenant}"
                " combination."
            )
        flavor["access"].append(tenant)
    elif not had:
        raise problem.missing(f"Flavor access not found for {flavor['id']} / {tenant} combination.")
    else:
        flavor["access"].remove(tenant)
    return _access(ask.state.update(KIND, flavor))


def _access(flavor: Doc) -> Doc:
    return {
        "flavor_access": [{"flavor_id": flavor["id"], "tenant_id": t} for t in flavor["access"]]
    }
