"""Types of the sky that signals are for: one waits until it was told, one hears with a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.sdk.resource import At, Done, Heard, Next, Signalled, Step, Wait
from tests.engine.simulation.things import Tagged, ThingProps, reached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.cloud import Cloud

_PATIENCE = 60.0
"""How long a wait is that a signal has to end."""


class Hark(Tagged):
    """Is there once a signal has come; what it was told are the numbers of all of them."""

    type_name = "S::Hark"
    kind = "hark"
    listens = True

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        if at.id is None:
            return Next(id=reached(cloud).post(self.kind, self.body(at)))
        return self.done(at) if at.told() else Wait(_PATIENCE)

    def on_signal(self, state: Mapping[str, Any], details: Mapping[str, Any]) -> Signalled:
        return Signalled({"heard": [*state.get("heard", []), details["n"]]}, "heard")


class Ear(Tagged):
    """Does at each signal what it says, with a call of its own."""

    type_name = "S::Ear"
    kind = "ear"

    def hear(self, at: At[ThingProps], details: Mapping[str, Any], cloud: Cloud) -> Heard:
        reached(cloud).heed(at.owned, details["n"])
        return Heard(Done() if at.verb is None else Next(data=at.data))
