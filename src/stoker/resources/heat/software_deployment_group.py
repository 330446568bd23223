"""OS::Heat::SoftwareDeploymentGroup: the same deployment on several servers, in a stack below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Path, Problem
from stoker.resources.heat.deployment_props import DeploymentProps, transport_problems
from stoker.resources.heat.nesting import gone, members_template, of_members
from stoker.resources.heat.rolling import Batches, Group, created, updated
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, attrs, prop
from stoker.sdk.value import is_unknown, thaw

_MEMBER: Final = "OS::Heat::SoftwareDeployment"
_OF_ALL: Final = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}


class SoftwareDeploymentGroupProps(DeploymentProps):
    servers: Mapping[str, Any] = prop("Ids of the servers, by names of one's own.", updatable=True)


class DeploymentGroupPolicy(Props):
    rolling_update: Batches | None = prop(
        "How deployments change when their definition does.", default=None
    )
    batch_create: Batches | None = prop("How the first deployments are made.", default=None)


class SoftwareDeploymentGroup(Resource[SoftwareDeploymentGroupProps]):
    type_name = "OS::Heat::SoftwareDeploymentGroup"
    since = "5.0.0"
    doc = "A software config on several servers."
    Props = SoftwareDeploymentGroupProps
    Policy = DeploymentGroupPolicy
    has_child = True
    open_attributes = True  # any output of the members gives that of all
    attributes = attrs(
        deploy_stdouts=Attr("What each wrote, by its name.", "map"),
        deploy_stderrs=Attr("What each wrote of errors, by its name.", "map"),
        deploy_status_codes=Attr("The status with which each ended, by its name.", "map"),
    )

    def validate(self, props: SoftwareDeploymentGroupProps) -> Iterable[Problem]:
        return transport_problems(props)

    def child(self, at: At[SoftwareDeploymentGroupProps]) -> Child | None:
        props = at.props
        if is_unknown(props.servers):
            return None
        return members_template(_group(props).whole())

    def source_of(self, at: Path) -> Path | None:
        match at:
            case ("resources", _, "properties", property, *inside) if property != "server":
                return (property, *inside)
            case ("resources", name, "properties", "server", *inside):
                return ("servers", name, *inside)
            case ("resources", name, *_):
                return ("servers", name)
        return None

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        if name == "show":
            return dict(view.attributes)
        output = _OF_ALL.get(name)
        if output is None:
            return of_members(view, name, path)
        return {key: member.attribute(output) for key, member in view.members.items()}

    def create(self, at: At[SoftwareDeploymentGroupProps], cloud: Cloud) -> Step:
        first = at.policy().batch_create
        return created(at, _group(at.props), first, members_template) or Done()

    def update(self, at: At[SoftwareDeploymentGroupProps], cloud: Cloud) -> Step:
        rolling = at.policy().rolling_update
        return updated(at, _group(at.props), rolling, members_template) or Done()

    def delete(self, at: At[SoftwareDeploymentGroupProps], cloud: Cloud) -> Step:
        return gone(at)


def _group(props: SoftwareDeploymentGroupProps) -> Group:
    shared = {
        "config": props.config,
        "input_values": thaw(props.input_values),
        "actions": thaw(props.actions),
        "name": props.name,
        "signal_transport": props.signal_transport,
    }
    given = {name: each for name, each in shared.items() if each is not None}
    return Group(
        size=len(props.servers),
        names=lambda _size: list(props.servers),
        define=lambda name: {
            "type": _MEMBER, "properties": {**given, "server": props.servers.get(name)}
        },
    )  # fmt: skip
