"""OS::Heat::ResourceChain: resources of several types, alike in their properties, in a row.

Rule: members are named by their place in the list; each waits for the one before it unless
they are told to be concurrent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoker.errors import Path
from stoker.resources.heat.nesting import VERSION, Literals, goal, gone, of_members
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, attrs, prop
from stoker.sdk.value import is_open, is_unknown


class ResourceChainProps(Props):
    resources: tuple[str, ...] = prop("Types of the members, in order.", updatable=True)
    concurrent: bool = prop("Make the members all at once.", default=False)
    resource_properties: Mapping[str, Any] | None = prop(
        "Properties that every member is given.", default=None
    )


def chain_template(props: ResourceChainProps) -> Child:
    """Return the child stack with a member for each of the types."""
    literals = Literals()
    members = {str(i): _member(props, i, literals) for i in range(len(props.resources))}
    template = {
        "heat_template_version": VERSION,
        **literals.declarations(),
        "resources": members,
    }
    return Child(template, literals.parameters())


def _member(props: ResourceChainProps, i: int, literals: Literals) -> dict[str, Any]:
    member: dict[str, Any] = {"type": props.resources[i]}
    if props.resource_properties is not None:
        member["properties"] = literals.quote(props.resource_properties)
    if i > 0 and not props.concurrent:
        member["depends_on"] = str(i - 1)
    return member


class ResourceChain(Resource[ResourceChainProps]):
    type_name = "OS::Heat::ResourceChain"
    since = "6.0.0"
    doc = "Makes a resource of each of a list of types, one after another."
    Props = ResourceChainProps
    has_child = True
    open_attributes = True  # any attribute of the members gives the list of theirs
    attributes = attrs(
        refs=Attr("References of the members.", "list"),
        attributes=Attr("An attribute of all members by name.", "map"),
    )

    def child(self, at: At[ResourceChainProps]) -> Child | None:
        props = at.props
        if is_open(props.resources) or is_open(props.concurrent):
            return None
        return None if is_unknown(props.resource_properties) else chain_template(props)

    def source_of(self, at: Path) -> Path | None:
        match at:
            case ("resources", _, "properties", *inside):
                return ("resource_properties", *inside)
            case ("resources", str(position), *_):
                return ("resources", int(position))
        return None

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else of_members(view, name, path)

    def create(self, at: At[ResourceChainProps], cloud: Cloud) -> Step:
        return Done() if at.child is not None else goal(self.child(at))

    def update(self, at: At[ResourceChainProps], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[ResourceChainProps], cloud: Cloud) -> Step:
        return gone(at)
