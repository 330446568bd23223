"""OS::Heat::Stack: a stack of its own under this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stoker.errors import Kind, Problem
from stoker.resources.heat.nesting import goal, gone
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_open, thaw

_SINCE_12 = Support(since="12.0.0")


class StackContext(Props):
    region_name: str | None = prop("Region in which to make the stack.", default=None)
    credential_secret_id: str | None = prop(
        "Secret with the credential for another cloud.",
        default=None,
        updatable=True,
        support=_SINCE_12,
    )
    ca_cert: str | None = prop(
        "Certificates that vouch for the other cloud.",
        default=None,
        updatable=True,
        support=_SINCE_12,
    )
    insecure: bool = prop(
        "Do not check the other cloud's certificate.",
        default=False,
        updatable=True,
        support=_SINCE_12,
    )


class StackProps(Props):
    context: StackContext | None = prop(
        "Where to make the stack, if not here.", default=None, updatable=True
    )
    template: str = prop("Text of the stack's template.", updatable=True)
    timeout: int | None = prop("Minutes after which it fails.", default=None, updatable=True)
    parameters: Mapping[str, Any] = prop(
        "Values of the template's parameters.", default={}, updatable=True
    )


class Stack(Resource[StackProps]):
    type_name = "OS::Heat::Stack"
    since = "2014.1"
    doc = "A nested stack, from the text of a template."
    Props = StackProps
    has_child = True
    attributes = attrs(stack_name=Attr("Name of the stack."), outputs=Attr("Its outputs.", "map"))

    def validate(self, props: StackProps) -> Iterable[Problem]:
        if props.context is not None and not is_open(props.context):
            text = "a stack in another region or cloud is not supported yet; leave context out"
            yield Problem(text, ("context",), None, Kind.PROPERTY)

    def child(self, at: At[StackProps]) -> Child | None:
        props = at.props
        if is_open(props.template):
            return None
        return Child(props.template, thaw(props.parameters), props.timeout)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        shown = {"stack_name": view.name, "outputs": dict(view.outputs)}
        return shown | {"id": view.id} if name == "show" else shown.get(name)

    def create(self, at: At[StackProps], cloud: Cloud) -> Step:
        return Done() if at.child is not None else goal(self.child(at))

    def update(self, at: At[StackProps], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[StackProps], cloud: Cloud) -> Step:
        return gone(at)
