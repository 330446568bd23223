"""A type of the sky of which snapshots keep copies, and the copies themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.sdk.copies import CopyProps
from stoker.sdk.resource import At, Done, Next, Resource, Step
from tests.engine.simulation.sky import COPY, SERVICE
from tests.engine.simulation.things import Tagged, reached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.cloud import Cloud


class Copy(Resource[CopyProps]):
    """A copy of a thing: another thing, which stays where it goes."""

    type_name = "a copy of S::Kept"
    since = "1"
    Props = CopyProps
    service = SERVICE

    def find(self, at: At[CopyProps], cloud: Cloud) -> Next | None:
        found = reached(cloud).list(COPY, tag=at.mark)
        return Next(id=found[0].id) if found else None

    def create(self, at: At[CopyProps], cloud: Cloud) -> Step:
        reach = reached(cloud)
        if at.id is None:
            body = {"source": at.props.source, "tag": at.mark, "on": [], "near": []}
            return Next(id=reach.post(COPY, body))
        reach.get(at.id)
        return Done()

    def delete(self, at: At[CopyProps], cloud: Cloud) -> Step:
        return Tagged.taken(at, cloud)


class Kept(Tagged):
    """A thing whose data a snapshot keeps and a restore brings back."""

    type_name = "S::Kept"
    kind = "kept"
    copies = Copy()

    def restored(self, copy: str) -> Mapping[str, Any]:
        return {"origin": copy}
