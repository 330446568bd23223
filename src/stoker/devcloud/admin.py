"""The cloud's own controls, under ``/devcloud``: faults, latency, the journal, what exists.

Rule: they ask for no token and are never disturbed by faults; the server listens on loopback.
"""

from __future__ import annotations

from stoker.devcloud.exchange import Request
from stoker.devcloud.neutron.agenda import settle
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc


def declare() -> None:
    """Say that this module's calls are in the table: they are, once it is imported."""


@route("GET", "/", public=True)
def show_cloud(request: Request) -> Doc:
    """Tell where everything is; answering at all means ready."""
    paths = {
        "identity": "/identity/v3",
        "compute": "/compute/v2.1",
        "image": "/image",
        "network": "/networking",
        "block-storage": "/volume/v3",
        "devcloud": "/devcloud",
    }
    services = {name: f"{request.cloud.url}{path}" for name, path in paths.items()}
    return {"ready": True, "region": request.cloud.options.region, "services": services}


@route("GET", "/devcloud/faults", public=True)
def list_faults(request: Request) -> Doc:
    """Give the faults in force."""
    return {"faults": request.cloud.faults.all()}


@route("POST", "/devcloud/faults", status=201, public=True)
def create_fault(request: Request) -> Doc:
    """Put a fault in force."""
    try:
        return request.cloud.faults.add(request.object())
    except ValueError as error:
        raise Refusal(400, str(error)) from error


@route("DELETE", "/devcloud/faults", public=True)
def delete_faults(request: Request) -> None:
    """Lift every fault."""
    request.cloud.faults.remove()


@route("DELETE", "/devcloud/faults/{fault_id}", public=True)
def delete_fault(request: Request) -> None:
    """Lift one fault."""
    if not request.cloud.faults.remove(request.params["fault_id"]):
        raise Refusal(404, f"There is no fault {request.params['fault_id']}.")


@route("GET", "/devcloud/latency", public=True)
def show_latency(request: Request) -> Doc:
    """Give the latencies that were set, in seconds."""
    return {"latency": request.cloud.latency.all()}


@route("PUT", "/devcloud/latency", public=True)
def set_latency(request: Request) -> Doc:
    """Set latencies: ``{"compute": {"boot": 1.5}}``."""
    wanted = request.object()
    if not all(_is_seconds(each) for each in wanted.values()):
        raise Refusal(400, "Expected {service: {operation: seconds}}.")
    request.cloud.latency.put(wanted)
    return show_latency(request)


def _is_seconds(operations: object) -> bool:
    return isinstance(operations, dict) and all(
        isinstance(seconds, int | float) for seconds in operations.values()
    )


@route("GET", "/devcloud/log", public=True)
def list_log(request: Request) -> Doc:
    """Give the requests since a number, and the newest number."""
    since = request.first("since", "0")
    if not since.isdigit():
        raise Refusal(400, f"since must be a number: {since}")
    seq, entries = request.cloud.journal.since(int(since))
    return {"seq": seq, "requests": entries}


@route("PUT", "/devcloud/log", public=True)
def set_log(request: Request) -> Doc:
    """Say whether the log keeps what changing requests ask: ``{"bodies": true}``."""
    wanted = request.object().get("bodies")
    if not isinstance(wanted, bool):
        raise Refusal(400, "Expected {bodies: true or false}.")
    request.cloud.journal.keeps_bodies = wanted
    return {"bodies": wanted}


@route("GET", "/devcloud/counts", public=True)
def show_counts(request: Request) -> Doc:
    """Give how many requests there were, by service and operation."""
    return {"counts": request.cloud.journal.counts()}


@route("GET", "/devcloud/objects", public=True)
def list_objects(request: Request) -> Doc:
    """Give everything that exists, of one project or of all (``kind=`` narrows it)."""
    settle(request.cloud)  # what is due to be gone must not show
    kind = request.first("kind")
    names = ("kind", "id", "name", "project")
    rows = request.state.objects(request.first("project") or None)
    return {"objects": [dict(zip(names, row, strict=True)) for row in rows if kind in ("", row[0])]}
