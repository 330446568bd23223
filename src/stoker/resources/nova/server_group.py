"""OS::Nova::ServerGroup: which servers keep together, and which apart.

Rule: Nova keeps nothing of a group but its name, which need not be unique and never changes.
A group under its physical name is known by it. Where the user chose the name, the groups
that have it are written down before the call, and only one that is not among them is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Limits, Props, Support, attrs, plain, prop
from stoker.sdk.value import is_open

_GROUPS: Final = "/os-server-groups"
_PAGE: Final = 1000
_APART: Final = "anti-affinity"


class Rules(Props):
    max_server_per_host: float | None = prop(
        "How many of its servers may be on one host.", default=None
    )


class ServerGroupProps(Props):
    name: str | None = prop("Name of the group.", default=None)
    policies: tuple[str, ...] = prop(
        "How its servers are placed; Nova takes one, the first counts.",
        default=[_APART],
        one_of=(_APART, "affinity", "soft-anti-affinity", "soft-affinity"),
        each=Limits(),
    )
    rules: Rules | None = prop(
        "What holds besides, for anti-affinity.", default=None, support=Support(since="17.0.0")
    )


class ServerGroup(Resource[ServerGroupProps]):
    type_name = "OS::Nova::ServerGroup"
    since = "2014.2"
    doc = "A group of servers that keep together, or apart."
    Props = ServerGroupProps
    service = "compute"
    attributes = attrs()

    def validate(self, props: ServerGroupProps) -> Iterable[Problem]:
        if is_open(props.policies):
            return
        if not props.policies:
            yield Problem("give a policy", ("policies",), None, Kind.PROPERTY)
        elif props.rules is not None and props.policies[0] != _APART:
            text = f"rules are for {_APART}, not for {props.policies[0]}"
            yield Problem(text, ("rules",), None, Kind.PROPERTY)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[ServerGroupProps], cloud: Cloud) -> Next | None:
        if at.props.name is not None and "others" not in at.data:
            return None
        others = at.data.get("others", ())
        wanted = _body(at)
        for group in _called(wanted["name"], cloud):
            if group["id"] not in others and _is_like(group, wanted):
                return Next(id=group["id"], data=at.data)
        return None

    def is_sound(self, at: At[ServerGroupProps], cloud: Cloud) -> bool:
        return bool(cloud.compute.get(f"{_GROUPS}/{at.owned}"))

    def create(self, at: At[ServerGroupProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done(cloud.compute.get(f"{_GROUPS}/{at.id}")["server_group"])
        if at.props.name is not None and "others" not in at.data:
            return Next(data={"others": [each["id"] for each in _called(at.props.name, cloud)]})
        made = cloud.compute.post(_GROUPS, {"server_group": _body(at)})["server_group"]
        return Done(made, id=made["id"])

    def adopt(self, at: At[ServerGroupProps], cloud: Cloud) -> Step:
        return Done(cloud.compute.get(f"{_GROUPS}/{at.owned}")["server_group"])

    def delete(self, at: At[ServerGroupProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.compute.remove(f"{_GROUPS}/{at.id}")
        return Done()


def _body(at: At[ServerGroupProps]) -> dict[str, Any]:
    body: dict[str, Any] = {"name": at.props.name or at.name, "policy": at.props.policies[0]}
    rules = {name: int(value) for name, value in (plain(at.props.rules) or {}).items()}
    return body | ({"rules": rules} if rules else {})


def _is_like(group: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    rules = wanted.get("rules", {})
    return bool(group["policy"] == wanted["policy"] and (group.get("rules") or {}) == rules)


def _called(name: str, cloud: Cloud) -> Iterator[Mapping[str, Any]]:
    """Yield the project's groups of a name."""
    offset = 0
    while True:
        rows = cloud.compute.get(_GROUPS, limit=_PAGE, offset=offset)["server_groups"]
        yield from (row for row in rows if row["name"] == name)
        if not rows:
            return
        offset += len(rows)
