"""OS::Nova::Flavor: a size of servers, and who may use it; for administrators.

Rule: without a ``flavorid`` of the user's we choose the id, which is then the mark. With one,
nothing is made before that id was seen to be free.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

from stoker.errors import CloudNotFound
from stoker.resources.chosen_id import chosen_id
from stoker.resources.relation import absent, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Attr, Limits, Props, Support, attrs, prop
from stoker.sdk.value import is_unknown

_AUTO: Final = "auto"


class FlavorProps(Props):
    tenants: tuple[str, ...] = prop(
        "Projects that may use it, by name or id, where it is not public; none is this one.",
        default=[],
        updatable=True,
        each=Limits(is_a="keystone.project"),
        support=Support(since="8.0.0"),
    )
    flavorid: str | None = prop(
        "Id of the flavor; without it, or with auto, one is chosen.",
        default=None,
        support=Support(since="7.0.0"),
    )
    name: str | None = prop("Name of the flavor.", default=None, support=Support(since="7.0.0"))
    ram: int = prop("Memory in MB.")
    vcpus: int = prop("Number of virtual CPUs.")
    disk: int = prop("Size of the root disk in GB; 0 is that of the image.", default=0)
    swap: int = prop("Size of the swap disk in MB.", default=0)
    ephemeral: int = prop("Size of a second disk in GB.", default=0)
    rxtx_factor: float = prop("Factor of the network's bandwidth.", default=1.0)
    extra_specs: Mapping[str, Any] | None = prop(
        "What the scheduler and the hypervisor are told.", default=None, updatable=True
    )
    is_public: bool = prop(
        "Whether all projects may use it.", default=True, support=Support(since="6.0.0")
    )


class Flavor(Resource[FlavorProps]):
    type_name = "OS::Nova::Flavor"
    since = "2014.2"
    doc = "A size of servers."
    Props = FlavorProps
    service = "compute"
    attributes = attrs(
        is_public=Attr("Whether all projects may use it.", "boolean", Support(since="6.0.0")),
        extra_specs=Attr(
            "What the scheduler and the hypervisor are told.", "map", Support(since="7.0.0")
        ),
    )

    def exclusive(self, props: FlavorProps) -> frozenset[object]:
        own = (("flavor", props.name), ("flavor id", _own_id(props)))
        return frozenset(e for e in own if e[1] is not None and not is_unknown(e[1]))

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        shown = view.attributes
        if name == "show":
            return dict(shown)
        return shown.get("os-flavor-access:is_public" if name == "is_public" else name)

    def find(self, at: At[FlavorProps], cloud: Cloud) -> Next | None:
        if _own_id(at.props) is not None and not was_absent(at):
            return None
        there = _shown(_id(at), cloud) is not None
        return Next(id=_id(at), data=at.data) if there else None

    def create(self, at: At[FlavorProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self._converged(at, cloud)
        if _own_id(at.props) is not None and not was_absent(at):
            if _shown(_id(at), cloud) is not None:
                raise taken(f"there is a flavor with the id {_id(at)} already", "flavorid")
            return absent()
        made = cloud.compute.post("/flavors", {"flavor": _body(at)})["flavor"]
        due = at.props.extra_specs or not at.props.is_public
        return Next(id=made["id"], data=at.data) if due else Done(made, id=made["id"])

    def update(self, at: At[FlavorProps], cloud: Cloud) -> Step:
        return self._converged(at, cloud)

    def adopt(self, at: At[FlavorProps], cloud: Cloud) -> Step:
        return Done(cloud.compute.get(_path(at))["flavor"])

    def delete(self, at: At[FlavorProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.compute.remove(_path(at))
        return Done()

    def _converged(self, at: At[FlavorProps], cloud: Cloud) -> Step:
        shown: Mapping[str, Any] = cloud.compute.get(_path(at))["flavor"]
        step = _specs(at, shown.get("extra_specs") or {}, cloud)
        if step is None and not shown["os-flavor-access:is_public"]:
            step = _access(at, cloud)
        return step or Done(shown)


def _own_id(props: FlavorProps) -> str | None:
    """Return the id that the user chose."""
    chosen = props.flavorid
    return None if chosen == _AUTO or is_unknown(chosen) else chosen


def _id(at: At[FlavorProps]) -> str:
    return _own_id(at.props) or chosen_id(at.mark)


def _path(at: At[FlavorProps]) -> str:
    return f"/flavors/{quote(at.owned, safe='')}"


def _shown(id: str, cloud: Cloud) -> Mapping[str, Any] | None:
    try:
        shown: Mapping[str, Any] = cloud.compute.get(f"/flavors/{quote(id, safe='')}")["flavor"]
    except CloudNotFound:
        return None
    return shown


def _body(at: At[FlavorProps]) -> dict[str, Any]:
    props = at.props
    return {
        "name": props.name or at.name,
        "id": _id(at),
        "ram": props.ram,
        "vcpus": props.vcpus,
        "disk": props.disk,
        "swap": props.swap,
        "OS-FLV-EXT-DATA:ephemeral": props.ephemeral,
        "rxtx_factor": props.rxtx_factor,
        "os-flavor-access:is_public": props.is_public,
    }


def _specs(at: At[FlavorProps], live: Mapping[str, str], cloud: Cloud) -> Next | None:
    """Take away what the old template asked for and the new does not, then set what it does."""
    wanted = {key: str(value) for key, value in (at.props.extra_specs or {}).items()}
    before = (at.old.extra_specs or {}) if at.old is not None else {}
    for key in sorted(before.keys() - wanted.keys()):
        if key in live:
            cloud.compute.remove(f"{_path(at)}/os-extra_specs/{quote(key, safe='')}")
            return Next(data=at.data)
    if any(live.get(key) != value for key, value in wanted.items()):
        cloud.compute.post(f"{_path(at)}/os-extra_specs", {"extra_specs": wanted})
        return Next(data=at.data)
    return None


def _access(at: At[FlavorProps], cloud: Cloud) -> Next | None:
    """Let those projects use it that should, and take it from those that no longer should."""
    rows = cloud.compute.get(f"{_path(at)}/os-flavor-access")["flavor_access"]
    live = {row["tenant_id"] for row in rows}
    wanted = _projects(at.props, at, cloud)
    before = _projects(at.old, at, cloud) if at.old is not None else set()
    due = [("addTenantAccess", each) for each in sorted(wanted - live)]
    due += [("removeTenantAccess", each) for each in sorted((before - wanted) & live)]
    for action, project in due:
        cloud.compute.post(f"{_path(at)}/action", {action: {"tenant": project}})
        return Next(data=at.data)
    return None


def _projects(props: FlavorProps, at: At[FlavorProps], cloud: Cloud) -> set[str]:
    named = {cloud.identity.find("project", each) for each in props.tenants}
    return named or {at.stack.project_id}
