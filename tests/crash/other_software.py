"""Software configs and deployments of the other Heat (:mod:`tests.crash.other_heat`).

A config counts as its deployment's as long as that deploys it; any other one has leaked.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.router import route
from tests.crash.other_heat import ROOT, refused

CONFIG, DEPLOYMENT = "orchestration.config", "orchestration.deployment"
OWNER: Final = "deployment_id"
_CONFIGS: Final = f"{ROOT}/software_configs"
_DEPLOYMENTS: Final = f"{ROOT}/software_deployments"


@route("GET", _CONFIGS)
def list_configs(request: Request) -> dict[str, Any]:
    return {"software_configs": request.state.list(CONFIG, project=request.caller.project_id)}


@route("POST", _CONFIGS)
def create_config(request: Request) -> dict[str, Any]:
    return {"software_config": _kept(request, CONFIG)}


@route("DELETE", f"{_CONFIGS}/{{id}}", status=204)
def delete_config(request: Request) -> Reply:
    row = request.state.get(CONFIG, request.params["id"])
    if row is not None and row.get(OWNER):
        return refused(400, "InvalidRestrictedAction", "it is deployed")
    return _removed(request, CONFIG)


@route("GET", _DEPLOYMENTS)
def list_deployments(request: Request) -> dict[str, Any]:
    rows = request.state.list(DEPLOYMENT, project=request.caller.project_id)
    on = request.first("server_id")
    return {"software_deployments": [each for each in rows if each["server_id"] == on]}


@route("POST", _DEPLOYMENTS)
def create_deployment(request: Request) -> dict[str, Any]:
    made = _kept(request, DEPLOYMENT)
    _own(request, made)
    return {"software_deployment": made}


@route("PUT", f"{_DEPLOYMENTS}/{{id}}")
def update_deployment(request: Request) -> dict[str, Any] | Reply:
    row = request.state.get(DEPLOYMENT, request.params["id"])
    if row is None:
        return refused(404, "NotFound", "there is no such deployment")
    changed = request.state.update(DEPLOYMENT, {**row, **request.object()})
    _own(request, changed)
    return {"software_deployment": changed}


@route("DELETE", f"{_DEPLOYMENTS}/{{id}}", status=204)
def delete_deployment(request: Request) -> Reply:
    _own(request, {"id": request.params["id"], "config_id": None})
    return _removed(request, DEPLOYMENT)


def _kept(request: Request, kind: str) -> dict[str, Any]:
    project = {"project_id": request.caller.project_id}
    return request.state.insert(kind, {**request.object(), **project, "id": new_id()})


def _removed(request: Request, kind: str) -> Reply:
    gone = request.state.delete(kind, request.params["id"])
    return Reply(status=204) if gone else refused(404, "NotFound", "there is none")


def _own(request: Request, deployment: dict[str, Any]) -> None:
    """Write on each config whose it is now."""
    for config in request.state.list(CONFIG, project=request.caller.project_id):
        if config["id"] == deployment["config_id"]:
            request.state.update(CONFIG, {**config, OWNER: deployment["id"]})
        elif config.get(OWNER) == deployment["id"]:
            request.state.update(CONFIG, {**config, OWNER: None})
