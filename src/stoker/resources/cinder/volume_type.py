"""OS::Cinder::VolumeType: a kind of volumes; for administrators.

Rule: its name is unique, so it is made under its mark and gets its name in a second call: a
type that has the name already is never taken for ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.nova.server_body import metadata_text
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Limits, Props, Support, attrs, prop
from stoker.sdk.value import is_unknown

_PUBLIC = "os-volume-type-access:is_public"


class VolumeTypeProps(Props):
    name: str = prop("Name of the type.", updatable=True)
    metadata: Mapping[str, Any] | None = prop(
        "Its extra specs: what the scheduler and the back end are told.",
        default=None,
        updatable=True,
    )
    is_public: bool = prop(
        "Whether all projects may use it.",
        default=True,
        updatable=True,
        support=Support(since="5.0.0"),
    )
    description: str | None = prop(
        "What it is for.", default=None, updatable=True, support=Support(since="5.0.0")
    )
    projects: tuple[str, ...] = prop(
        "Projects that may use it, by name or id, where it is not public.",
        default=[],
        updatable=True,
        each=Limits(is_a="keystone.project"),
        support=Support(since="5.0.0"),
    )


class VolumeType(Resource[VolumeTypeProps]):
    type_name = "OS::Cinder::VolumeType"
    since = "2015.1"
    doc = "A kind of volumes."
    Props = VolumeTypeProps
    service = "block-storage"
    attributes = attrs()

    def validate(self, props: VolumeTypeProps) -> Iterable[Problem]:
        if props.is_public is True and not is_unknown(props.projects) and props.projects:
            text = "a public type is for all projects: leave it out, or set is_public to false"
            yield Problem(text, ("projects",), None, Kind.PROPERTY)

    def exclusive(self, props: VolumeTypeProps) -> frozenset[object]:
        return frozenset() if is_unknown(props.name) else frozenset({("volume type", props.name)})

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[VolumeTypeProps], cloud: Cloud) -> Next | None:
        rows = cloud.volume.get("/types", is_public="none", name=at.mark)["volume_types"]
        ours = [row["id"] for row in rows if row["name"] == at.mark]
        return Next(id=ours[0]) if ours else None

    def create(self, at: At[VolumeTypeProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return _converged(at, cloud)
        made = cloud.volume.post("/types", {"volume_type": _body(at)})
        return Next(id=made["volume_type"]["id"])

    def update(self, at: At[VolumeTypeProps], cloud: Cloud) -> Step:
        return _converged(at, cloud)

    def adopt(self, at: At[VolumeTypeProps], cloud: Cloud) -> Step:
        return Done(cloud.volume.get(_path(at))["volume_type"])

    def delete(self, at: At[VolumeTypeProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.volume.remove(f"/types/{at.id}")
        return Done()


def _body(at: At[VolumeTypeProps]) -> dict[str, Any]:
    props = at.props
    return {
        "name": at.mark,
        "description": props.description,
        _PUBLIC: props.is_public,
        "extra_specs": metadata_text(props.metadata or {}),
    }


def _converged(at: At[VolumeTypeProps], cloud: Cloud) -> Step:
    shown: Mapping[str, Any] = cloud.volume.get(_path(at))["volume_type"]
    step = _plain(at, shown, cloud) or _specs(at, shown.get("extra_specs") or {}, cloud)
    if step is None and not at.props.is_public:
        step = _access(at, cloud)
    return step or Done(shown)


def _plain(at: At[VolumeTypeProps], shown: Mapping[str, Any], cloud: Cloud) -> Next | None:
    props = at.props
    wanted: dict[str, Any] = {"name": props.name, "is_public": props.is_public}
    if props.description is not None or "description" in at.changed:
        wanted["description"] = props.description or ""
    wrong = {key: value for key, value in wanted.items() if _differs(shown.get(key), value)}
    if not wrong:
        return None
    cloud.volume.put(_path(at), {"volume_type": wrong})
    return Next(data=at.data)


def _differs(live: Any, wanted: Any) -> bool:
    return bool(("" if live is None else live) != wanted)


def _specs(at: At[VolumeTypeProps], live: Mapping[str, str], cloud: Cloud) -> Next | None:
    """Take away what the old template asked for and the new does not, then set what it does."""
    wanted = metadata_text(at.props.metadata or {})
    before = (at.old.metadata or {}) if at.old is not None else {}
    for key in sorted(before.keys() - wanted.keys()):
        if key in live:
            cloud.volume.remove(f"{_path(at)}/extra_specs/{quote(key, safe='')}")
            return Next(data=at.data)
    if any(live.get(key) != value for key, value in wanted.items()):
        cloud.volume.post(f"{_path(at)}/extra_specs", {"extra_specs": wanted})
        return Next(data=at.data)
    return None


def _access(at: At[VolumeTypeProps], cloud: Cloud) -> Next | None:
    """Let those projects use it that should, and take it from those that no longer should."""
    rows = cloud.volume.get(f"{_path(at)}/os-volume-type-access")["volume_type_access"]
    live = {row["project_id"] for row in rows}
    wanted = _ids(at.props.projects, cloud)
    before = _ids(at.old.projects, cloud) if at.old is not None else set()
    due = [("addProjectAccess", each) for each in sorted(wanted - live)]
    due += [("removeProjectAccess", each) for each in sorted((before - wanted) & live)]
    for action, project in due:
        cloud.volume.post(f"{_path(at)}/action", {action: {"project": project}})
        return Next(data=at.data)
    return None


def _ids(projects: Iterable[str], cloud: Cloud) -> set[str]:
    return {cloud.identity.find("project", each) for each in projects}


def _path(at: At[VolumeTypeProps]) -> str:
    return f"/types/{at.owned}"
