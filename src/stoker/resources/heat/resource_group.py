"""OS::Heat::ResourceGroup: the same resource several times, in a stack of its own.

Rule: members are named by their index in text; a name once removed by a policy is skipped
from then on. The child's output of references lets a policy name members by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import Any, Final

from stoker.errors import Path
from stoker.resources.heat.nesting import gone, members_template, of_members
from stoker.resources.heat.rolling import (
    Batches,
    Definitions,
    Group,
    RollingUpdate,
    created,
    updated,
)
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Child, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_open, is_unknown, thaw

_REFS: Final = "refs_map"


class ResourceDef(Props):
    type: str = prop("Type of the members.")
    each: Mapping[str, Any] | None = prop(
        "Properties of each member.", default=None, wire="properties"
    )
    metadata: Mapping[str, Any] | None = prop(
        "Metadata of each member.", default=None, support=Support(since="5.0.0")
    )


class RemovalPolicy(Props):
    resource_list: tuple[Any, ...] = prop(
        "Members to remove first, by name or reference.", default=[]
    )


class ResourceGroupProps(Props):
    count: int = prop("Number of members.", default=1, updatable=True, at_least=0)
    index_var: str = prop(
        "Text in the members' properties that stands for the index.",
        default="%index%",
        shortest=3,
        support=Support(since="2014.2"),
    )
    resource_def: ResourceDef = prop("What the members are.", updatable=True)
    removal_policies: tuple[RemovalPolicy, ...] = prop(
        "Which members go first when the group shrinks; their names are not used again.",
        default=[],
        updatable=True,
        support=Support(since="2015.1"),
    )
    removal_policies_mode: str = prop(
        "Whether removal_policies add to the names not used again, or are all of them.",
        default="append",
        updatable=True,
        one_of=("append", "update"),
        support=Support(since="10.0.0"),
    )


class GroupPolicy(Props):
    rolling_update: RollingUpdate | None = prop(
        "How members change when their definition does.", default=None
    )
    batch_create: Batches | None = prop("How the first members are made.", default=None)


def removed(props: ResourceGroupProps, stored: Mapping[str, Any]) -> list[str]:
    """Return the member names that are not to be used, given what was recorded before."""
    refs: Mapping[str, Any] = stored.get("refs", {})
    before: Sequence[str] = stored.get("removed", ())
    names = dict.fromkeys(before if props.removal_policies_mode == "append" else ())
    by_ref = {str(ref): name for name, ref in refs.items()}
    for policy in props.removal_policies:
        for item in map(str, policy.resource_list):
            if item in refs:
                names[item] = None
            elif item in by_ref:
                names[by_ref[item]] = None
            elif item in before or (not refs and item.isdecimal()):
                names[item] = None  # a group that has no members yet can only name indexes
    return list(names)


def member_names(size: int, skipped: Iterable[str]) -> list[str]:
    """Return the names of ``size`` members: indexes from 0, without the skipped."""
    gone_names = frozenset(skipped)
    return list(islice((n for n in map(str, count()) if n not in gone_names), size))


def replaced(value: Any, var: str, index: str) -> Any:
    """Return ``value`` with ``var`` in its texts replaced by the index."""
    if isinstance(value, str):
        return value.replace(var, index)
    if isinstance(value, Mapping):
        return {key: replaced(each, var, index) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(each, var, index) for each in value]
    return value


def group_template(members: Definitions) -> Child:
    """Return the child stack with these members."""
    refs = {_REFS: {"value": {name: {"get_resource": name} for name in members}}}
    return members_template(members, outputs=refs)


def _member(props: ResourceGroupProps, name: str) -> dict[str, Any]:
    wanted = props.resource_def
    member: dict[str, Any] = {"type": wanted.type}
    if wanted.each is not None:
        values = {k: v for k, v in wanted.each.items() if v is not None}
        member["properties"] = replaced(values, props.index_var, name)
    if wanted.metadata is not None:
        member["metadata"] = thaw(wanted.metadata)
    return member


class ResourceGroup(Resource[ResourceGroupProps]):
    type_name = "OS::Heat::ResourceGroup"
    since = "2014.1"
    doc = "Makes a number of resources from one definition."
    Props = ResourceGroupProps
    Policy = GroupPolicy
    has_child = True
    open_attributes = True  # any attribute of the members gives the list of theirs
    attributes = attrs(
        refs=Attr("References of the members.", "list"),
        refs_map=Attr("References of the members by name.", "map", Support(since="7.0.0")),
        attributes=Attr("An attribute of all members by name.", "map", Support(since="2014.2")),
        removed_rsrc_list=Attr("Names not used again.", "list", Support(since="7.0.0")),
    )

    def child(self, at: At[ResourceGroupProps]) -> Child | None:
        props = at.props
        whole = (props.count, props.index_var, props.removal_policies)
        if any(map(is_open, whole)) or _is_vague(props.resource_def):
            return None
        return group_template(_group(at).whole())

    def source_of(self, at: Path) -> Path | None:
        return ("resource_def", *at[2:]) if at[:1] == ("resources",) else None

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        if name == "removed_rsrc_list":
            return list(view.data.get("removed", ()))
        if name == "show":
            return dict(view.attributes)
        if name == _REFS:
            return {key: member.reference() for key, member in view.members.items()}
        return of_members(view, name, path)

    def create(self, at: At[ResourceGroupProps], cloud: Cloud) -> Step:
        group, first = _group(at), at.policy().batch_create
        return created(at, group, first, group_template) or _done(at)

    def update(self, at: At[ResourceGroupProps], cloud: Cloud) -> Step:
        group, rolling = _group(at), at.policy().rolling_update
        return updated(at, group, rolling, group_template) or _done(at)

    def delete(self, at: At[ResourceGroupProps], cloud: Cloud) -> Step:
        return gone(at)

    def stored_of(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        names = data.get("removed")
        if not isinstance(names, list):
            names = str(data.get("name_blacklist") or "").split(",")  # Heat's word for it
        removed = [str(name) for name in names if name]
        return {"removed": removed} if removed else {}

    def told_of(self, view: View) -> Mapping[str, Any]:
        gone = view.data.get("removed")
        return {"removed": gone} if gone else {}


def _is_vague(wanted: ResourceDef) -> bool:
    """Tell whether not even the names of the members' properties are known."""
    return is_unknown(wanted) or is_unknown(wanted.type) or is_unknown(wanted.each)


def _group(at: At[ResourceGroupProps]) -> Group:
    props, skipped = at.props, removed(at.props, at.stored)
    return Group(
        size=props.count,
        names=lambda size: member_names(size, skipped),
        define=lambda name: _member(props, name),
        removed=skipped,
    )


def _done(at: At[ResourceGroupProps]) -> Step:
    refs = at.child.outputs.get(_REFS) if at.child is not None else None
    return Done(data={"removed": removed(at.props, at.stored), "refs": refs or {}})
