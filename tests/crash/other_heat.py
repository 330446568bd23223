"""Another Heat, in the development cloud: what keeps stacks that are made elsewhere.

Its stacks hold nothing; each operation has ended when it is looked at again. Its calls are the
cloud's, so that they can be disturbed, and its stacks are objects of the cloud, so that none can
leak unseen.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.devcloud.cloud import Cloud, new_id
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.keystone.catalog import ENDPOINT, SERVICE
from stoker.devcloud.router import route

KIND: Final = "orchestration.stack"
ROOT: Final = "/orchestration/v1/{project_id}"
_STACK: Final = f"{ROOT}/stacks/{{name}}/{{stack_id}}"
_STATUS, _BODY = "stack_status", ("template", "parameters")


def declare(cloud: Cloud) -> None:
    """Have the catalog lead here."""
    with cloud.state.transaction():
        [service] = cloud.state.list(SERVICE, where={"type": "orchestration"})
        for endpoint in cloud.state.list(ENDPOINT, where={"service_id": service["id"]}):
            here = {"url": f"{cloud.url}/orchestration/v1/%(project_id)s", "own": ""}
            cloud.state.update(ENDPOINT, {**endpoint, **here})


@route("POST", f"{ROOT}/validate")
def validate_stack(request: Request) -> dict[str, Any]:
    return {"Parameters": {}, "Description": str(request.object()["template"])[:1]}


@route("GET", f"{ROOT}/stacks")
def list_stacks(request: Request) -> dict[str, Any]:
    rows = request.state.list(KIND, project=request.caller.project_id)
    return {"stacks": [each for each in rows if each["stack_name"] == request.first("name")]}


@route("POST", f"{ROOT}/stacks", status=201)
def create_stack(request: Request) -> dict[str, Any] | Reply:
    body = request.object()
    rows = request.state.list(KIND, project=request.caller.project_id)
    if any(each["stack_name"] == body["stack_name"] for each in rows):
        return refused(409, "StackExists", f"The Stack ({body['stack_name']}) already exists.")
    made = {"id": new_id(), "stack_name": body["stack_name"]}
    row = {**made, "project_id": request.caller.project_id, **_begun("CREATE")}
    request.state.insert(KIND, {**row, **{key: body[key] for key in _BODY}})
    return {"stack": made}


@route("GET", f"{ROOT}/stacks/{{stack_id}}")
def look_up_stack(request: Request) -> Reply:
    row = request.state.get(KIND, request.params["stack_id"])
    if row is None:
        return _missing(request)
    where = f"{request.cloud.url}{request.path[: request.path.index('/stacks/')]}"
    return Reply("", 302, {"Location": f"{where}/stacks/{row['stack_name']}/{row['id']}"})


@route("GET", _STACK)
def show_stack(request: Request) -> dict[str, Any] | Reply:
    row = request.state.get(KIND, request.params["stack_id"])
    if row is None:
        return _missing(request)
    status = f"{row['action']}_{'COMPLETE' if row['seen'] else 'IN_PROGRESS'}"
    request.state.update(KIND, {**row, "seen": True})
    outputs = [{"output_key": "given", "output_value": row["parameters"]}]
    return {"stack": {**row, _STATUS: status, "stack_status_reason": "", "outputs": outputs}}


@route("PUT", _STACK, status=202)
def update_stack(request: Request) -> Reply:
    body = request.object()
    return _changed(request, "UPDATE", {key: body[key] for key in _BODY})


@route("POST", f"{_STACK}/actions", status=202)
def act_on_stack(request: Request) -> Reply:
    [action] = request.object()
    return _changed(request, action.upper(), {})


@route("DELETE", _STACK, status=204)
def delete_stack(request: Request) -> Reply:
    gone = request.state.delete(KIND, request.params["stack_id"])
    return Reply(status=204) if gone else _missing(request)


def _changed(request: Request, action: str, values: dict[str, Any]) -> Reply:
    row = request.state.get(KIND, request.params["stack_id"])
    if row is None:
        return _missing(request)
    request.state.update(KIND, {**row, **values, **_begun(action)})
    return Reply("accepted", 202)


def _begun(action: str) -> dict[str, Any]:
    return {"action": action, "seen": False}


def _missing(request: Request) -> Reply:
    return refused(404, "EntityNotFound", f"The Stack ({request.params['stack_id']}) is not there.")


def refused(status: int, type: str, text: str) -> Reply:
    error = {"type": type, "message": text, "traceback": None}
    return Reply({"code": status, "title": type, "explanation": text, "error": error}, status)
