"""Host aggregates: an administrator's names for sets of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import host, problem
from stoker.devcloud.nova.ask import Ask, compute_route, read_text

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

KIND = "compute.aggregate"
_NUMBERS = "compute/aggregates"
_WITH_UUID = 41


def _found(ask: Ask) -> Doc:
    ask.only_admin("os-aggregates:show")
    id = ask.params["aggregate_id"]
    aggregate = ask.state.get(KIND, id)
    if aggregate is None:
        raise problem.missing(f"Aggregate {id} could not be found.")
    return aggregate


def _shown(ask: Ask, aggregate: Doc) -> Doc:
    body = {**aggregate, "id": int(aggregate["id"]), "deleted": False, "deleted_at": None}
    if aggregate["availability_zone"]:
        zone = {"availability_zone": aggregate["availability_zone"]}
        body["metadata"] = {**zone, **aggregate["metadata"]}
    if not ask.since(_WITH_UUID):
        body.pop("uuid")
    return {"aggregate": body}


@compute_route("GET", "os-aggregates")
def list_aggregates(ask: Ask) -> Doc:
    """Give all aggregates."""
    ask.only_admin("os-aggregates:index")
    return {"aggregates": [_shown(ask, each)["aggregate"] for each in ask.state.list(KIND)]}


@compute_route("POST", "os-aggregates")
def create_aggregate(ask: Ask) -> Doc:
    """Make an aggregate without hosts."""
    ask.only_admin("os-aggregates:create")
    body = ask.body("aggregate")
    name = read_text(body, "name")
    _check_new(ask, name, "")
    number = (ask.state.setting(_NUMBERS) or 0) + 1
    ask.state.put_setting(_NUMBERS, number)
    aggregate: Doc = {
        "id": str(number),
        "uuid": new_id(),
        "name": name,
        "availability_zone": body.get("availability_zone"),
        "hosts": [],
        "metadata": {},
        "created_at": _moment(ask),
        "updated_at": None,
    }
    shown = _shown(ask, ask.state.insert(KIND, aggregate))
    return {"aggregate": {n: v for n, v in shown["aggregate"].items() if n not in _NOT_AT_FIRST}}


_NOT_AT_FIRST = ("hosts", "metadata")


def _moment(ask: Ask) -> str:
    return ask.now().rstrip("Z") + ".000000"


def _check_new(ask: Ask, name: str, id: str) -> None:
    if any(each["id"] != id for each in ask.state.list(KIND, name=name)):
        raise problem.conflict(f"Aggregate {name} already exists.")


@compute_route("GET", "os-aggregates/{aggregate_id}")
def show_aggregate(ask: Ask) -> Doc:
    """Give one aggregate."""
    return _shown(ask, _found(ask))


@compute_route("PUT", "os-aggregates/{aggregate_id}")
def update_aggregate(ask: Ask) -> Doc:
    """Change name or zone."""
    aggregate, body = _found(ask), ask.body("aggregate")
    changes = {n: v for n, v in body.items() if n in ("name", "availability_zone")}
    if "name" in changes:
        _check_new(ask, read_text(body, "name"), aggregate["id"])
    return _stored(ask, {**aggregate, **changes})


@compute_route("DELETE", "os-aggregates/{aggregate_id}")
def delete_aggregate(ask: Ask) -> Reply:
    """Delete an aggregate that has no hosts."""
    aggregate = _found(ask)
    if aggregate["hosts"]:
        raise problem.bad_request(
            f"Cannot remove host from aggregate {aggregate['id']}. Reason: Host aggregate is not"
            " empty."
        )
    ask.state.delete(KIND, aggregate["id"])
    return Reply(status=200)


@compute_route("POST", "os-aggregates/{aggregate_id}/action")
def act_on_aggregate(ask: Ask) -> Doc:
    """Add a host, remove one, or set metadata."""
    aggregate, body = _found(ask), ask.request.json()
    name = next(iter(body), "") if isinstance(body, dict) else ""
    perform = _ACTIONS.get(name)
    if perform is None:
        raise problem.bad_request(f"There is no such action: {name}")
    perform(aggregate, body[name])
    return _stored(ask, aggregate)


def _add_host(aggregate: Doc, argument: Any) -> None:
    name = read_text(argument or {}, "host")
    if name not in host.HOSTS:
        raise problem.missing(f"Compute host {name} could not be found.")
    if name in aggregate["hosts"]:
        raise problem.conflict(f"Aggregate {aggregate['id']} already has host {name}.")
    aggregate["hosts"].append(name)


def _remove_host(aggregate: Doc, argument: Any) -> None:
    name = read_text(argument or {}, "host")
    if name not in aggregate["hosts"]:
        raise problem.missing(f"Aggregate {aggregate['id']} has no host {name}.")
    aggregate["hosts"].remove(name)


def _set_metadata(aggregate: Doc, argument: Any) -> None:
    for name, value in ((argument or {}).get("metadata") or {}).items():
        if value is None:
            aggregate["metadata"].pop(name, None)
        else:
            aggregate["metadata"][name] = str(value)


_ACTIONS = {"add_host": _add_host, "remove_host": _remove_host, "set_metadata": _set_metadata}


def _stored(ask: Ask, aggregate: Doc) -> Doc:
    return _shown(ask, ask.state.update(KIND, {**aggregate, "updated_at": _moment(ask)}))
