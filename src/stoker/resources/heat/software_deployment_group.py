"""OS::Heat::SoftwareDeploymentGroup: the same deployment on several servers, in a stack below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Path, Problem
from stoker.resources.heat.deployment_props import DeploymentProps, transport_problems
from stoker.resources.heat.nesting import VERSION, Literals, goal, gone, of_members
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, attrs, prop
from stoker.sdk.value import is_unknown, thaw

_MEMBER: Final = "OS::Heat::SoftwareDeployment"
_OF_ALL: Final = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}


class SoftwareDeploymentGroupProps(DeploymentProps):
    servers: Mapping[str, Any] = prop("Ids of the servers, by names of one's own.", updatable=True)


class SoftwareDeploymentGroup(Resource[SoftwareDeploymentGroupProps]):
    type_name = "OS::Heat::SoftwareDeploymentGroup"
    since = "5.0.0"
    doc = "A software config on several servers."
    Props = SoftwareDeploymentGroupProps
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
        shared = {
            "config": props.config,
            "input_values": thaw(props.input_values),
            "actions": thaw(props.actions),
            "name": props.name,
            "signal_transport": props.signal_transport,
        }
        literals = Literals()
        given = {name: each for name, each in shared.items() if each is not None}
        members = {
            name: {"type": _MEMBER, "properties": literals.quote({**given, "server": server})}
            for name, server in props.servers.items()
        }
        template = {
            "heat_template_version": VERSION,
            **literals.declarations(),
            "resources": members,
        }
        return Child(template, literals.parameters())

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
        return Done() if at.child is not None else goal(self.child(at))

    def update(self, at: At[SoftwareDeploymentGroupProps], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[SoftwareDeploymentGroupProps], cloud: Cloud) -> Step:
        return gone(at)
