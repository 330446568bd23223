"""OS::Heat::WaitCondition: goes on once its handle was signalled often enough.

Rule: no time is spent in it: its step waits for the end of its time, and each signal of the
handle makes it due before that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import UserError
from stoker.resources.heat.wait_condition_handle import FAILURE
from stoker.sdk.cloud import Cloud
from stoker.sdk.prop import Attr, attrs
from stoker.sdk.resource import At, Done, Resource, Step, View, Wait
from stoker.sdk.schema import Props, prop

_LONGEST: Final = 43200
_UNTIL: Final = "until"


class WaitConditionFailure(UserError):
    """What was waited for has signalled that it failed."""


class WaitConditionTimeout(UserError):
    """It was not signalled often enough in time."""


class NoHandle(UserError):
    """What it names is no handle of its stack."""


class ConditionProps(Props):
    handle: str = prop("A handle in this stack.")
    timeout: float = prop("Seconds to wait.", at_least=1, at_most=_LONGEST)
    count: int = prop("How many signals to wait for.", default=1, updatable=True, at_least=1)


class WaitCondition(Resource[ConditionProps]):
    type_name = "OS::Heat::WaitCondition"
    since = "2014.2"
    doc = "Goes on once its handle was signalled often enough."
    Props = ConditionProps
    attributes = attrs(data=Attr("What the signals brought, by their ids, as JSON."))
    listens = True

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        handle = view.data.get("handle")
        told = None if name != "data" or handle is None else view.told(handle)
        return None if told is None else json.dumps({k: each["data"] for k, each in told.items()})

    def create(self, at: At[ConditionProps], cloud: Cloud) -> Step:
        return self._waited(at)

    def update(self, at: At[ConditionProps], cloud: Cloud) -> Step:
        return self._waited(at)

    def delete(self, at: At[ConditionProps], cloud: Cloud) -> Step:
        return Done(silenced=at.props.handle)

    def _waited(self, at: At[ConditionProps]) -> Step:
        told, now = at.told(at.props.handle), at.clock()
        if told is None:
            raise NoHandle(f"{at.props.handle} is no wait condition handle of this stack")
        if failed := _reasons(told, FAILURE):
            raise WaitConditionFailure(failed)
        if len(told) >= at.props.count:
            return Done(id=at.id or at.name, data={"handle": at.props.handle})
        until: float = at.data.get(_UNTIL, now + at.props.timeout)
        if now >= until:
            raise WaitConditionTimeout(_too_few(told, at.props.count))
        return Wait(until - now, {_UNTIL: until})


def _reasons(told: Mapping[str, Any], status: str | None = None) -> str:
    entries = (each for each in told.values() if status in (None, each["status"]))
    return ";".join(str(each["reason"]) for each in entries)


def _too_few(told: Mapping[str, Any], count: int) -> str:
    received = f"{len(told)} of {count} received"
    return f"{received} - {_reasons(told)}" if told else received
