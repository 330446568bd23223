"""OS::Heat::Stack: a stack of its own under this one, unless it is to be elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from stoker.resources.heat.nesting import goal, gone
from stoker.resources.heat.stack_elsewhere import StackElsewhere
from stoker.resources.heat.stack_props import ATTRIBUTES, StackProps
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.value import is_open, thaw

_ELSEWHERE: Final = StackElsewhere()


class Stack(Resource[StackProps]):
    type_name = "OS::Heat::Stack"
    since = "2014.1"
    doc = "A nested stack, from the text of a template."
    Props = StackProps
    has_child = True
    attributes = ATTRIBUTES
    variants: ClassVar[Mapping[str, Resource[Any]]] = {StackElsewhere.variant: _ELSEWHERE}

    def fitting(self, raw: Mapping[str, Any]) -> Resource[Any]:
        return self if raw.get("context") is None else _ELSEWHERE

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
