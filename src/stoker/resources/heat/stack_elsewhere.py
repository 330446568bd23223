"""OS::Heat::Stack with a context: a stack that another Heat makes, in a region by its REST API.

Rule: it is found by its name, which nobody else has; gone is what Heat there has no more, or calls
deleted. What it comes to is read from it, and never guessed from a call's answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from stoker.errors import CloudError, CloudNotFound, Kind, Problem
from stoker.lang.unknown import UNKNOWN
from stoker.resources.heat.stack_props import ATTRIBUTES, StackProps
from stoker.resources.polling import poll
from stoker.sdk.around import Around
from stoker.sdk.cloud import ELSEWHERE, Cloud, Lookup, Orchestration
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.value import is_open, thaw

_BEFORE: Final = "before"
_CONFLICT: Final = 422
_NOT_HAD: Final = {
    "credential_secret_id": "a stack in another cloud is not supported yet",
    "ca_cert": "certificates of other regions are checked as those of this one",
    "insecure": "certificates of other regions are checked as those of this one",
}
"""Why a key of a context cannot be given."""


class StackElsewhere(Resource[StackProps]):
    type_name = "OS::Heat::Stack"
    variant: ClassVar[str] = "elsewhere"
    since = "2014.1"
    doc = "A stack in another region."
    Props = StackProps
    service = "orchestration"
    attributes = ATTRIBUTES
    always_updated = True

    def validate(self, props: StackProps) -> Iterable[Problem]:
        context = props.context
        if context is None or is_open(context):
            return
        for key, why in _NOT_HAD.items():
            if getattr(context, key) not in (None, False, UNKNOWN):
                text = f"{why}: leave {key} out"
                yield Problem(text, ("context", key), None, Kind.PROPERTY)

    def lookups_around(self, props: StackProps, around: Around) -> Iterable[Lookup]:
        yield from self.lookups(props)
        if not (is_open(props.context) or is_open(props.template) or is_open(props.parameters)):
            asked = {"region": _region(props), **_documents(props, around)}
            yield Lookup(ELSEWHERE, json.dumps(asked, sort_keys=True), ("template",))

    def replaces(self, old: StackProps, new: StackProps, changed: frozenset[str]) -> frozenset[str]:
        moved = _region(old) != _region(new)
        return super().replaces(old, new, changed) | (frozenset({"context"}) if moved else set())

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return {**view.attributes, "id": view.id} if name == "show" else view.attributes.get(name)

    def find(self, at: At[StackProps], cloud: Cloud) -> Next | None:
        rows = _heat(at, cloud).get("/stacks", name=at.name)["stacks"]
        return Next(id=rows[0]["id"]) if rows else None

    def create(self, at: At[StackProps], cloud: Cloud) -> Step:
        heat = _heat(at, cloud)
        if at.id is not None:
            return _ended(at, heat, "CREATE")
        body = {"stack_name": at.name, **_goal(at)}
        return Next(id=heat.post("/stacks", body)["stack"]["id"])

    def update(self, at: At[StackProps], cloud: Cloud) -> Step:
        heat = _heat(at, cloud)
        if _BEFORE in at.data:
            return _ended(at, heat, "UPDATE")
        shown = _shown(at, heat)
        heat.put(_path(shown), _goal(at))
        return _begun(shown)

    def delete(self, at: At[StackProps], cloud: Cloud) -> Step:
        if at.id is None:
            return Done()
        heat = _heat(at, cloud)
        try:
            shown = _shown(at, heat)
            doing, status = _state(shown)
            if (doing, status) == ("DELETE", "COMPLETE"):
                return Done()
            if _BEFORE not in at.data:
                heat.remove(_path(shown))
                return _begun(shown)
        except CloudNotFound:
            return Done()
        if (doing, status) == ("DELETE", "FAILED"):
            raise _failed(shown)
        return poll(at.data)

    def check(self, at: At[StackProps], cloud: Cloud) -> Step:
        return _acted(at, cloud, "CHECK")

    def suspend(self, at: At[StackProps], cloud: Cloud) -> Step:
        return _acted(at, cloud, "SUSPEND")

    def resume(self, at: At[StackProps], cloud: Cloud) -> Step:
        return _acted(at, cloud, "RESUME")

    def adopt(self, at: At[StackProps], cloud: Cloud) -> Step:
        return Done(attributes=_attributes(_shown(at, _heat(at, cloud))))


def _region(props: StackProps) -> str | None:
    return None if props.context is None else props.context.region_name


def _heat(at: At[StackProps], cloud: Cloud) -> Orchestration:
    return cloud.orchestration(_region(at.props))


def _documents(props: StackProps, around: Around) -> dict[str, Any]:
    return {
        "template": props.template,
        "parameters": thaw(props.parameters),
        "files": dict(around.files),
        "environment": dict(around.environment),
    }


def _goal(at: At[StackProps]) -> dict[str, Any]:
    """Return what Heat there is asked to make: it leaves what has failed for us to judge."""
    body = {**_documents(at.props, at.around()), "disable_rollback": True}
    return body if at.props.timeout is None else {**body, "timeout_mins": at.props.timeout}


def _shown(at: At[StackProps], heat: Orchestration) -> Mapping[str, Any]:
    """Return the stack as it is; by its id alone, which Heat leads to its name."""
    shown: Mapping[str, Any] = heat.get(f"/stacks/{at.owned}")["stack"]
    return shown


def _path(shown: Mapping[str, Any]) -> str:
    return f"/stacks/{shown['stack_name']}/{shown['id']}"


def _state(shown: Mapping[str, Any]) -> tuple[str, str]:
    doing, _, status = str(shown["stack_status"]).partition("_")
    return doing, status


def _begun(shown: Mapping[str, Any]) -> Next:
    return Next(data={_BEFORE: _state(shown)[0]})


def _acted(at: At[StackProps], cloud: Cloud, action: str) -> Step:
    heat = _heat(at, cloud)
    if _BEFORE in at.data:
        return _ended(at, heat, action)
    shown = _shown(at, heat)
    heat.post(f"{_path(shown)}/actions", {action.lower(): None})
    return _begun(shown)


def _ended(at: At[StackProps], heat: Orchestration, action: str) -> Step:
    """Return what there is once the operation has ended well; raises CloudError."""
    shown = _shown(at, heat)
    doing, status = _state(shown)
    if doing not in (action, at.data.get(_BEFORE)):
        text = f"another operation ({doing}) took stack {shown['id']} over"
        raise CloudError(text, service="orchestration", status=_CONFLICT)
    if status == "IN_PROGRESS" or doing != action:
        return poll(at.data)
    if status == "FAILED":
        raise _failed(shown)
    return Done(attributes=_attributes(shown), data={})


def _failed(shown: Mapping[str, Any]) -> CloudError:
    text = f"stack {shown['id']} is {shown['stack_status']}: {shown['stack_status_reason']}"
    return CloudError(text, service="orchestration", status=_CONFLICT)


def _attributes(shown: Mapping[str, Any]) -> dict[str, Any]:
    outputs = {each["output_key"]: each.get("output_value") for each in shown.get("outputs") or ()}
    return {"stack_name": shown["stack_name"], "outputs": outputs}
