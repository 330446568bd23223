"""OS::Heat::SoftwareDeployment: a software config on a server, and what came of it.

Rule: it is made through Heat's API, as anybody's would be: a config of its own, derived from the
one that it deploys, and a deployment of that. The config has the resource's physical name, which
nobody else has, so that what a lost answer made is found by it. What ends it is a signal later than
its beginning; whoever signals does so as a user of the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, NotFound, Problem, UserError
from stoker.resources.heat.deployment_props import NO_SIGNAL, DeploymentProps, transport_problems
from stoker.resources.heat.derived_config import derived, failure
from stoker.sdk.cloud import Cloud, Orchestration
from stoker.sdk.resource import At, Done, Next, Resource, Signalled, Step, View, Wait
from stoker.sdk.schema import Attr, attrs, prop
from stoker.sdk.signal import told
from stoker.sdk.value import thaw

_LOOK_SECONDS: Final = 600.0
"""A signal makes it due before that."""
_ANEW: Final = "anew"
_CONFIGS: Final = "/software_configs"
_DEPLOYMENTS: Final = "/software_deployments"


class DeploymentFailed(UserError):
    """The server has signalled that it failed."""


class SoftwareDeploymentProps(DeploymentProps):
    server: str = prop("Server on which it is carried out, by id.")


class SoftwareDeployment(Resource[SoftwareDeploymentProps]):
    type_name = "OS::Heat::SoftwareDeployment"
    since = "2014.1"
    doc = "A software config on a server, and what came of it."
    Props = SoftwareDeploymentProps
    service = "orchestration"
    listens = True
    deaf_actions = frozenset()
    open_attributes = True  # whatever outputs the config has
    attributes = attrs(
        deploy_stdout=Attr("What it wrote."),
        deploy_stderr=Attr("What it wrote of errors."),
        deploy_status_code=Attr("The status with which it ended."),
    )

    def validate(self, props: SoftwareDeploymentProps) -> Iterable[Problem]:
        return transport_problems(props)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        details = (view.told() or {}).get("details", {})
        return dict(details) if name == "show" else details.get(name)

    def on_signal(self, state: Mapping[str, Any], details: Mapping[str, Any]) -> Signalled:
        code = details.get("deploy_status_code")
        came = f"deployment failed ({code})" if failure(details, ()) else "deployment succeeded"
        count = int(state.get("count", 0)) + 1
        return Signalled({"count": count, "details": dict(details)}, told(came))

    def find(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Next | None:
        heat = cloud.orchestration(None)
        config = at.data.get("config")
        if config is None:
            found = _named(heat, at.name)
            if not found:
                return None
            return Next(data={**_begun(at, _base(at, heat)), "config": found[0]})
        id = _deployment(at, heat)
        return None if id is None else Next(id=id, data=at.data)

    def create(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Step:
        return self._deployed(at, cloud, "CREATE")

    def update(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Step:
        return self._deployed(at, cloud, "UPDATE")

    def suspend(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Step:
        return self._deployed(at, cloud, "SUSPEND")

    def resume(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Step:
        return self._deployed(at, cloud, "RESUME")

    def delete(self, at: At[SoftwareDeploymentProps], cloud: Cloud) -> Step:
        heat = cloud.orchestration(None)
        is_waited_for = at.id is not None and "gone" not in at.data and "ended" not in at.data
        if is_waited_for and "DELETE" in at.props.actions and _is_there(at.props.server, cloud):
            step = self._deployed(at, cloud, "DELETE")
            return Next(data={**at.data, "ended": True}) if isinstance(step, Done) else step
        if at.id is not None and "gone" not in at.data:
            with suppress(CloudNotFound):
                heat.remove(f"{_DEPLOYMENTS}/{at.id}")
            return Next(data={"gone": True})
        for config in _named(heat, at.name):
            with suppress(CloudNotFound):
                heat.remove(f"{_CONFIGS}/{config}")
            return Next(data={"gone": True})
        return Done()

    def _deployed(self, at: At[SoftwareDeploymentProps], cloud: Cloud, action: str) -> Step:
        """Bring it one call nearer to what it is once this is done to its stack."""
        if action not in at.props.actions:
            return Done(data=at.stored)
        heat = cloud.orchestration(None)
        if "config" not in at.data:
            base = _base(at, heat)
            if action == "UPDATE" and _begins_anew(at, base, heat):
                with suppress(CloudNotFound):
                    heat.remove(f"{_DEPLOYMENTS}/{at.owned}")
                return Next(data={_ANEW: True})
            return _derived(at, heat, base, action)
        if "asked" not in at.data and (at.id is None or action != "CREATE"):
            return _asked(at, heat, action)
        if at.props.signal_transport == NO_SIGNAL:
            return _ended(at, heat, {})
        state = at.told() or {}
        if int(state.get("count", 0)) <= at.data["since"]:
            return Wait(_LOOK_SECONDS, at.data)
        return _ended(at, heat, state["details"])


def _begun(at: At[Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is written down at the beginning: how often it was signalled, and which outputs
    are errors."""
    errors = [each["name"] for each in base.get("outputs") or () if each.get("error_output")]
    return {"since": int((at.told() or {}).get("count", 0)), "errors": errors}


def _base(at: At[SoftwareDeploymentProps], heat: Orchestration) -> Mapping[str, Any]:
    if at.props.config is None:
        return {}
    base: Mapping[str, Any] = heat.get(f"{_CONFIGS}/{at.props.config}")["software_config"]
    return base


def _begins_anew(
    at: At[SoftwareDeploymentProps], base: Mapping[str, Any], heat: Orchestration
) -> bool:
    """Tell whether an input has changed with which the deployment is to be made anew."""
    config = at.stored.get("config")
    names = {each["name"] for each in base.get("inputs") or () if each.get("replace_on_change")}
    if not names or _ANEW in at.data or at.id is None or config is None:
        return False
    try:
        before = heat.get(f"{_CONFIGS}/{config}")["software_config"]["inputs"]
    except CloudNotFound:
        return False
    values = {each["name"]: each.get("value") for each in before}
    wanted = derived(at, base, "CREATE")["inputs"]
    return any(
        each["name"] in names & values.keys() and values[each["name"]] != each["value"]
        for each in wanted
    )


def _derived(
    at: At[SoftwareDeploymentProps], heat: Orchestration, base: Mapping[str, Any], action: str
) -> Step:
    """Make the config; one that an update left without an answer goes first."""
    left = () if action == "CREATE" else _named(heat, at.name)  # a create looks for it
    for config in left:
        if config != at.stored.get("config"):
            heat.remove(f"{_CONFIGS}/{config}")
            return Next(data=at.data)
    made = heat.post(_CONFIGS, derived(at, base, _told(at, action)))["software_config"]
    return Next(data={**at.data, **_begun(at, base), "config": made["id"]})


def _told(at: At[Any], action: str) -> str:
    """Return the action that the server is told: to begin anew is to create."""
    return "CREATE" if _ANEW in at.data else action


def _asked(at: At[SoftwareDeploymentProps], heat: Orchestration, action: str) -> Step:
    is_over = at.props.signal_transport == NO_SIGNAL
    body = {
        "config_id": at.data["config"],
        "input_values": thaw(at.props.input_values or {}),
        "action": _told(at, action),
        "status": "COMPLETE" if is_over else "IN_PROGRESS",
        "status_reason": "Deploy data available",
    }
    data = {**at.data, "asked": True}
    if at.id is not None and _ANEW not in at.data:
        with suppress(CloudNotFound):  # somebody has removed it: then another is made
            heat.put(f"{_DEPLOYMENTS}/{at.id}", body)
            return Next(data=data)
    if action != "CREATE" and (id := _deployment(at, heat)) is not None:
        return Next(id=id, data=data)  # its answer was lost; a create looks for it
    whole = {**body, "server_id": at.props.server}
    return Next(id=heat.post(_DEPLOYMENTS, whole)["software_deployment"]["id"], data=data)


def _ended(
    at: At[SoftwareDeploymentProps], heat: Orchestration, outputs: Mapping[str, Any]
) -> Step:
    """Write down what came of it, then give up the config that it had before."""
    wrong = failure(outputs, at.data["errors"])
    if "written" not in at.data:
        body = {
            "output_values": dict(outputs),
            "status": "FAILED" if wrong else "COMPLETE",
            "status_reason": wrong or "Outputs received",
        }
        heat.put(f"{_DEPLOYMENTS}/{at.owned}", body)
        return Next(data={**at.data, "written": True})
    before = at.stored.get("config")
    if before not in (None, at.data["config"]) and "cleared" not in at.data:
        with suppress(CloudNotFound):
            heat.remove(f"{_CONFIGS}/{before}")
        return Next(data={**at.data, "cleared": True})
    if wrong:
        raise DeploymentFailed(wrong)
    return Done(data={"config": at.data["config"]})


def _named(heat: Orchestration, name: str) -> list[str]:
    """Return the ids of the configs of this name, oldest first."""
    rows = heat.get(_CONFIGS)["software_configs"]
    return [row["id"] for row in rows if row["name"] == name]


def _deployment(at: At[SoftwareDeploymentProps], heat: Orchestration) -> str | None:
    """Return the id of the deployment of its config, where there is one."""
    rows = heat.get(_DEPLOYMENTS, server_id=at.props.server)["software_deployments"]
    return next((row["id"] for row in rows if row["config_id"] == at.data["config"]), None)


def _is_there(server: str, cloud: Cloud) -> bool:
    """Tell whether the server could still carry something out."""
    try:
        cloud.compute.find("server", server)
    except NotFound:
        return False
    return True
