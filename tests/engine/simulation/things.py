"""Resource types of the sky, one for each way to find what a create without an answer has made."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, cast

from stoker.errors import CloudNotFound
from stoker.resources.chosen_id import chosen_id
from stoker.resources.relation import absent, taken, was_absent
from stoker.sdk.prop import Attr, attrs
from stoker.sdk.resource import At, Child, ChildGone, Done, Next, Resource, Step, Wait
from stoker.sdk.schema import Props, prop
from stoker.sdk.value import is_open
from tests.engine.simulation.sky import SERVICE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.cloud import Cloud
    from tests.engine.simulation.sky import Reach


class ThingProps(Props):
    size: int = prop("How large.", default=1, updatable=True)
    place: str = prop("Where.", default="here")
    on: tuple[str, ...] = prop("What it stands on.", default=())
    near: tuple[str, ...] = prop("What it is beside.", default=(), updatable=True)
    origin: str | None = prop("The copy that it is of.", default=None, updatable=True)


def reached(cloud: Cloud) -> Reach:
    """Return the cloud as what it is."""
    return cast("Reach", cloud)


class Tagged(Resource[ThingProps]):
    """Has its mark in the create call."""

    type_name = "S::Tagged"
    since = "1"
    Props = ThingProps
    service = SERVICE
    attributes = attrs(size=Attr("How large it is.", "integer"))
    kind: ClassVar[str] = "tagged"
    is_slow: ClassVar[bool] = False

    def find(self, at: At[ThingProps], cloud: Cloud) -> Next | None:
        found = reached(cloud).list(self.kind, tag=at.mark)
        return Next(id=found[0].id) if found else None

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self.done(at)
        return self.done(at, reached(cloud).post(self.kind, self.body(at)))

    def update(self, at: At[ThingProps], cloud: Cloud) -> Step:
        if not at.data.get("told"):
            reached(cloud).put(at.owned, **_words(at))
            return Next(data={"told": True})
        return self.done(at)

    def delete(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return self.taken(at, cloud, slow=self.is_slow)

    @staticmethod
    def body(at: At[ThingProps]) -> dict[str, Any]:
        """Return what a thing is made of, its mark among it."""
        return _body(at) | {"tag": at.mark}

    @staticmethod
    def done(at: At[ThingProps], id: str | None = None) -> Done:
        """Return that a thing is as it is to be."""
        return Done({"size": at.props.size}, id=id)

    @staticmethod
    def taken(at: At[Any], cloud: Cloud, *, slow: bool = False) -> Step:
        """Return the next step of a thing's deletion."""
        if at.id is None:
            return Done()
        if not at.data.get("told"):
            with suppress(CloudNotFound):
                reached(cloud).delete(at.id, slow=slow)
            return Next(data={"told": True})
        try:
            reached(cloud).get(at.id)
        except CloudNotFound:
            return Done()
        return Wait(1.0)

    def check(self, at: At[ThingProps], cloud: Cloud) -> Step:
        reached(cloud).get(at.owned)
        return Done()

    def live(self, at: At[ThingProps], cloud: Cloud) -> Mapping[str, Any]:
        return _seen(at, cloud)

    def suspend(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return self._lulled(at, cloud, asleep=True)

    def resume(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return self._lulled(at, cloud, asleep=False)

    def _lulled(self, at: At[ThingProps], cloud: Cloud, *, asleep: bool) -> Step:
        if at.data.get("told"):
            return Done()
        reached(cloud).lull(at.owned, asleep=asleep)
        return Next(data={"told": True})


class Renamed(Tagged):
    """Is made under a name of its own, and gets its right name in a second step."""

    type_name = "S::Renamed"
    kind = "renamed"

    def find(self, at: At[ThingProps], cloud: Cloud) -> Next | None:
        found = reached(cloud).list(self.kind, name=at.mark)
        return Next(id=found[0].id) if found else None

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        reach = reached(cloud)
        if at.id is None:
            return Next(id=reach.post(self.kind, _body(at) | {"name": at.mark}))
        if not at.data.get("named"):
            reach.put(at.id, name=at.logical_name)
            return Next(data={"named": True})
        return self.done(at)


class Chosen(Tagged):
    """Has an id that we choose; what there is of it does not say what it is."""

    type_name = "S::Chosen"
    kind = "chosen"
    live = Resource.live

    def find(self, at: At[ThingProps], cloud: Cloud) -> Next | None:
        id = chosen_id(at.mark)
        try:
            reached(cloud).get(id)
        except CloudNotFound:
            return None
        return Next(id=id)

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self.done(at)
        return self.done(at, reached(cloud).post(self.kind, _body(at), id=chosen_id(at.mark)))


class Slow(Tagged):
    """Takes its time to be made and to go, and may fall sick on the way."""

    type_name = "S::Slow"
    kind = "slow"
    is_slow = True

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        reach = reached(cloud)
        if at.id is None:
            return Next(id=reach.post(self.kind, self.body(at), slow=True))
        return self.done(at) if reach.ready(at.id) else Wait(2.0)

    def is_sound(self, at: At[ThingProps], cloud: Cloud) -> bool:
        return not reached(cloud).get(at.owned).is_sick

    def update(self, at: At[ThingProps], cloud: Cloud) -> Step:
        reach, data = reached(cloud), at.data
        if not data.get("asked"):
            reach.put(at.owned, asked=at.props.size, near=list(at.props.near))
            return Next(data={"asked": True})
        if not data.get("waited"):
            return Wait(3.0, data={"asked": True, "waited": True})
        if not data.get("confirmed"):
            reach.put(at.owned, size=at.props.size)
            return Next(data={**data, "confirmed": True})
        return self.done(at)


class RelationProps(ThingProps):
    key: str = prop("What only one can have at a time.")


class Relation(Resource[RelationProps]):
    """Has no mark: it is one by what it joins, and ours only if it was not there before."""

    type_name = "S::Relation"
    since = "1"
    Props = RelationProps
    service = SERVICE
    attributes = attrs()

    def exclusive(self, props: RelationProps) -> frozenset[object]:
        return frozenset() if is_open(props.key) else frozenset({("relation", props.key)})

    def find(self, at: At[RelationProps], cloud: Cloud) -> Next | None:
        if not was_absent(at) or not _is_there(at, cloud):
            return None
        return Next(id=_relation(at), data=at.data)

    def create(self, at: At[RelationProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done()
        if was_absent(at):
            body = _body(at)
            return Done(id=reached(cloud).post("relation", body, id=_relation(at)))
        if _is_there(at, cloud):
            raise taken("it is there", "key")
        return absent()

    def live(self, at: At[RelationProps], cloud: Cloud) -> Mapping[str, Any]:
        return _seen(at, cloud)

    def update(self, at: At[RelationProps], cloud: Cloud) -> Step:
        if not at.data.get("told"):
            reached(cloud).put(at.owned, **_words(at))
            return Next(data={"told": True})
        return Done()

    def delete(self, at: At[RelationProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                reached(cloud).delete(at.id)
        return Done()


def _relation(at: At[RelationProps]) -> str:
    return f"rel-{at.props.key}"


def _is_there(at: At[RelationProps], cloud: Cloud) -> bool:
    try:
        reached(cloud).get(_relation(at))
    except CloudNotFound:
        return False
    return True


class Quiet(Resource[ThingProps]):
    """Makes nothing in any cloud."""

    type_name = "S::Quiet"
    since = "1"
    Props = ThingProps
    computes = True

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return Done(id=at.name)

    def update(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return Done()

    def delete(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return Done()


class NestProps(ThingProps):
    inner: str = prop("The child's template.", updatable=True)


class Nest(Resource[NestProps]):
    """Has a child stack."""

    type_name = "S::Nest"
    since = "1"
    Props = NestProps
    has_child = True

    def child(self, at: At[NestProps]) -> Child:
        return Child(at.props.inner)

    def create(self, at: At[NestProps], cloud: Cloud) -> Step:
        return Done() if at.child is not None else self.child(at)

    def update(self, at: At[NestProps], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[NestProps], cloud: Cloud) -> Step:
        return Done() if at.id is None else ChildGone()


def _body(at: At[Any]) -> dict[str, Any]:
    return {"place": at.props.place, "on": list(at.props.on), **_words(at)}


def _seen(at: At[Any], cloud: Cloud) -> dict[str, Any]:
    """Return what the cloud says of a thing, by the names of properties."""
    body = reached(cloud).get(at.owned).body
    return {"size": body["size"], "near": list(body["near"]), "place": body["place"]}


def _words(at: At[Any]) -> dict[str, Any]:
    """Return what an update may change of a thing."""
    props = at.props
    return {"size": props.size, "near": list(props.near), "origin": props.origin}
