"""Software deployments: a config on a server, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.body import Fields
from stoker.api.policy import member, reader, stack_user
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1 import software_configs
from stoker.api.v1.path import PROJECT
from stoker.usecases.moment import moment
from stoker.usecases.software import DeploymentChange, NewDeployment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from stoker.api.route import Ask
    from stoker.usecases.software import DeploymentView
    from stoker.usecases.stacks import Json

_DEPLOYMENTS = f"{PROJECT}/software_deployments"
_DEPLOYMENT = f"{_DEPLOYMENTS}/{{deployment}}"
_WORD_MAX = 32
_ID_MAX = 64
_CONFIG_ID_MAX = 36


def shown(deployment: DeploymentView) -> Json:
    """Return a deployment; one that was never changed has no time of that."""
    view: Json = {
        "id": deployment.id,
        "server_id": deployment.server_id,
        "input_values": deployment.input_values,
        "output_values": deployment.output_values,
        "action": deployment.action,
        "status": deployment.status,
        "status_reason": deployment.status_reason,
        "config_id": deployment.config_id,
        "creation_time": moment(deployment.created_at),
    }
    if deployment.updated_at is not None:
        view["updated_time"] = moment(deployment.updated_at)
    return view


def index(ask: Ask) -> Json:
    """List the deployments, or those on the server that the query names."""
    found = ask.house.software.deployments(ask.caller, ask.query.last("server_id"))
    return {"software_deployments": [shown(each) for each in found]}


def create(ask: Ask) -> Json:
    """Keep a deployment."""
    fields = Fields(ask.body())
    server_id = fields.text_within("server_id", _ID_MAX)
    if not server_id:
        fields.refuse("is missing: it says where the config is deployed", "server_id")
    what = NewDeployment(
        # Heat speaks of None where there is none, and clients know that text.
        config_id=fields.text_within("config_id", _CONFIG_ID_MAX) or "None",
        server_id=server_id or "",
        input_values=fields.map("input_values"),
        stack_user_project_id=fields.text_within("stack_user_project_id", _ID_MAX),
        **_words(fields),
    )
    fields.check()
    made = ask.house.software.create_deployment(ask.caller, what)
    return {"software_deployment": shown(made)}


def show(ask: Ask) -> Json:
    """Show one."""
    found = ask.house.software.deployment(ask.caller, ask.path["deployment"])
    return {"software_deployment": shown(found)}


def update(ask: Ask) -> Json:
    """Change what the body gives, as a guest does that has carried it out."""
    fields = Fields(ask.body())
    what = DeploymentChange(
        config_id=fields.text_within("config_id", _CONFIG_ID_MAX),
        input_values=_values(fields, "input_values"),
        output_values=_values(fields, "output_values"),
        **_words(fields),
    )
    fields.check()
    changed = ask.house.software.update_deployment(ask.caller, ask.path["deployment"], what)
    return {"software_deployment": shown(changed)}


def delete(ask: Ask) -> Reply:
    """Forget one."""
    ask.house.software.delete_deployment(ask.caller, ask.path["deployment"])
    return Reply(204)


def metadata(ask: Ask) -> Json:
    """List the configs deployed on a server, as its agent reads them."""
    found = ask.house.software.server_configs(ask.caller, ask.path["server"])
    return {"metadata": [software_configs.shown(each) for each in found]}


def _words(fields: Fields) -> dict[str, str | None]:
    return {
        "action": fields.text_within("action", _WORD_MAX),
        "status": fields.text_within("status", _WORD_MAX),
        "status_reason": fields.text("status_reason"),
    }


def _values(fields: Fields, key: str) -> Mapping[str, Any] | None:
    return fields.map(key) if fields.given(key) else None


ROUTES = (
    Route("GET", _DEPLOYMENTS, index, reader("software_deployments:index")),
    Route("POST", _DEPLOYMENTS, create, member("software_deployments:create")),
    Route(
        "GET",
        f"{_DEPLOYMENTS}/metadata/{{server}}",
        metadata,
        stack_user("software_deployments:metadata"),
    ),
    Route("GET", _DEPLOYMENT, show, reader("software_deployments:show")),
    Route("PUT", _DEPLOYMENT, update, member("software_deployments:update")),
    Route("DELETE", _DEPLOYMENT, delete, member("software_deployments:delete")),
)
