"""OS::Heat::TestResource: waits, fails and is replaced as told; for trying things out.

Rule: it makes nothing and asks no cloud for anything, whatever ``client_name`` says; time passes
by due times, never in a worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoker.errors import CloudError
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Resource, Step, View, Wait
from stoker.sdk.schema import Attr, Props, Support, attrs, prop

_REFUSED = 400


class _Failure(CloudError):
    """That it fails as told; its reason begins with the word that tests of Heat look for."""


_Failure.__name__ = "ValueError"


class ActionWaitSecs(Props):
    create: float | None = prop("Seconds a create takes.", default=None, updatable=True)
    update: float | None = prop("Seconds an update takes.", default=None, updatable=True)
    delete: float | None = prop("Seconds a delete takes.", default=None, updatable=True)


class TestProps(Props):
    __test__ = False

    value: str = prop("What the attribute output gives.", default="test_string", updatable=True)
    constraint_prop_secs: float = prop(
        "Seconds that checking this takes.",
        default=0,
        updatable=True,
        is_a="test_constr",
        support=Support(since="6.0.0"),
    )
    update_replace_value: str | None = prop(
        "Changing it replaces the resource.", default=None, support=Support(since="7.0.0")
    )
    fail: bool = prop("Fail when the time is over.", default=False, updatable=True)
    update_replace: bool = prop("Replace it at any change.", default=False, updatable=True)
    wait_secs: float = prop("Seconds that each action takes.", default=0, updatable=True)
    action_wait_secs: ActionWaitSecs | None = prop(
        "Seconds that single actions take.", default=None, updatable=True
    )
    attr_wait_secs: float = prop(
        "Seconds that reading the attributes takes (once, after create or update).",
        default=0,
        updatable=True,
        support=Support(since="6.0.0"),
    )
    client_name: str = prop("Whom to poll meanwhile; nobody is.", default="", updatable=True)
    entity_name: str = prop("What to poll meanwhile; nothing is.", default="", updatable=True)


class TestResource(Resource[TestProps]):
    __test__ = False

    type_name = "OS::Heat::TestResource"
    since = "5.0.0"
    doc = "Waits and fails as told."
    Props = TestProps
    attributes = attrs(output=Attr("The value.", None))

    def replaces(self, old: TestProps, new: TestProps, changed: frozenset[str]) -> frozenset[str]:
        return changed if new.update_replace else super().replaces(old, new, changed)

    def create(self, at: At[TestProps], cloud: Cloud) -> Step:
        return self._made(at, "create")

    def update(self, at: At[TestProps], cloud: Cloud) -> Step:
        return self._made(at, "update")

    def delete(self, at: At[TestProps], cloud: Cloud) -> Step:
        return _pause(at, _seconds(at.props, "delete")) or Done()

    def check(self, at: At[TestProps], cloud: Cloud) -> Step:
        return _pause(at, _seconds(at.props, "check")) or Done()

    def adopt(self, at: At[TestProps], cloud: Cloud) -> Step:
        return Done({"output": at.stored.get("value", at.props.value)})

    def told_of(self, view: View) -> Mapping[str, Any]:
        return {"value": view.attributes["output"]} if "output" in view.attributes else {}

    def _made(self, at: At[TestProps], verb: str) -> Step:
        if pause := _pause(at, _seconds(at.props, verb) + at.props.attr_wait_secs):
            return pause
        if at.props.fail:
            text = f"Test Resource failed {at.logical_name}"
            raise _Failure(text, service="test", status=_REFUSED)
        return Done({"output": at.props.value}, id=at.id or at.name)


def _seconds(props: TestProps, verb: str) -> float:
    own: Any = getattr(props.action_wait_secs, verb, None)
    return props.wait_secs if own is None else own


def _pause(at: At[TestProps], seconds: float) -> Wait | None:
    if seconds <= 0 or at.data.get("waited"):
        return None
    return Wait(seconds, {"waited": True})
