"""A cloud of things on a shelf, whose every call can be made to go wrong, and their type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from stoker.clouds.connect import Unguarded
from stoker.errors import CloudError, CloudNotFound, Invalid
from stoker.sdk.fault import IN_ERROR, TAKEN
from stoker.sdk.resource import At, Child, ChildGone, Done, Next, Resource, Step
from stoker.sdk.schema import Props, prop
from stoker.sdk.value import thaw
from stoker.usecases.caller import Caller

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stoker.sdk.cloud import Cloud, Guard

ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))


class Fate(StrEnum):
    """What becomes of a call (or of a look)."""

    ANSWERED = "answered"
    LOST = "done, and the answer lost"
    CUT = "not done, and no answer either"
    UNREACHED = "never sent"
    REFUSED = "refused"
    BUSY = "refused because it is busy"
    OVERTAKEN = "refused because an earlier call has just done it"
    TAKEN = "refused because another has it"
    ERROR = "an internal error of the service"
    GATEWAY = "an error of a proxy before the service"
    READ_FAILS = "done, and the read after it fails"
    INVALID = "done, and the answer is not what it should be"
    BUG = "done, and the type has a fault"
    SICK = "done, and the thing goes to an error state"


_EFFECT = frozenset(
    {Fate.ANSWERED, Fate.LOST, Fate.READ_FAILS, Fate.INVALID, Fate.BUG, Fate.OVERTAKEN}
)
_TAKEN = frozenset({Fate.OVERTAKEN, Fate.TAKEN})
_STATUS = {
    Fate.REFUSED: 403,
    Fate.BUSY: 409,
    Fate.ERROR: 500,
    Fate.GATEWAY: 504,
    Fate.OVERTAKEN: 409,
    Fate.TAKEN: 409,
}


@dataclass
class Shelf:
    """``fates`` are those of the calls to come, ``looks`` those of the looks; then all is well.

    ``asleep`` are the things that are suspended, ``told`` the verbs that came to things that
    were there, each with the resource's name.
    """

    things: dict[str, str] = field(default_factory=dict)  # id: mark
    asleep: set[str] = field(default_factory=set)
    told: list[tuple[str, str]] = field(default_factory=list)
    before_check: Callable[[], None] = lambda: None
    before_put: Callable[[], None] = lambda: None
    before_take: Callable[[], None] = lambda: None
    before_change: Callable[[], None] = lambda: None
    before_look: Callable[[], None] = lambda: None
    fates: list[Fate] = field(default_factory=list)
    looks: list[Fate] = field(default_factory=list)
    calls: int = 0
    faults: list[Fate] = field(default_factory=list)  # of what the next steps find
    sick: set[str] = field(default_factory=set)
    copies: list[str] = field(default_factory=list)

    def put(self, mark: str, guard: Guard) -> str:
        self.before_put()
        id = f"t{self.calls}"
        fate = self._call(guard, lambda: self.things.update({id: mark}))
        if fate is Fate.READ_FAILS:
            raise CloudError("the read failed", service="network", status=503)
        if fate is Fate.INVALID:
            raise Invalid([])
        if fate is Fate.BUG:
            raise KeyError("name")
        return id

    def look(self, mark: str) -> str | None:
        self.before_look()
        self._seen()
        return next((id for id, each in self.things.items() if each == mark), None)

    def check(self, id: str, name: str) -> None:
        self.before_check()
        self._seen()
        if id not in self.things:
            raise CloudNotFound(f"no thing {id}", service="network", status=404)
        self.told.append(("check", name))

    def change(self, verb: str, id: str, name: str, guard: Guard) -> None:
        """Suspend a thing, or resume it: one that is there already is left alone."""
        if (id in self.asleep) is (verb == "suspend"):
            return
        self.before_change()

        def effect() -> None:
            (self.asleep.add if verb == "suspend" else self.asleep.remove)(id)
            self.told.append((verb, name))

        self._call(guard, effect)

    def _seen(self) -> None:
        fate = self.looks.pop(0) if self.looks else Fate.ANSWERED
        if fate is Fate.BUG:
            raise KeyError("name")
        if fate is not Fate.ANSWERED:
            raise _error(fate)

    def take(self, id: str, guard: Guard) -> None:
        self.before_take()
        guard.before("network", "DELETE", f"/things/{id}")
        self.things.pop(id, None)
        guard.after("network", "DELETE", f"/things/{id}")

    def _call(self, guard: Guard, effect: Any) -> Fate:
        guard.before("network", "POST", "/things")
        fate = self.fates.pop(0) if self.fates else Fate.ANSWERED  # of the calls that are made
        try:
            self.calls += fate is not Fate.UNREACHED
            if fate in _EFFECT:
                effect()
            if fate in (Fate.LOST, Fate.OVERTAKEN) or fate not in _EFFECT:
                raise _error(fate)
        finally:
            guard.after("network", "POST", "/things")
        return fate


def _error(fate: Fate) -> CloudError:
    sent = fate is not Fate.UNREACHED
    code = TAKEN if fate in _TAKEN else ""
    return CloudError(str(fate), service="network", status=_STATUS.get(fate), sent=sent, code=code)


class ThingProps(Props):
    size: int = prop("How large.", default=1)


class Thing(Resource[ThingProps]):
    type_name = "T::Thing"
    since = "1"
    Props = ThingProps
    service = "network"

    def find(self, at: At[ThingProps], cloud: Cloud) -> Next | None:
        found = shelf_of(cloud).look(at.mark)
        return None if found is None else Next(id=found)

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done()
        return Done(id=shelf_of(cloud).put(at.mark, guard_of(cloud)))

    def delete(self, at: At[ThingProps], cloud: Cloud) -> Step:
        shelf_of(cloud).take(at.owned, guard_of(cloud))
        return Done()

    def check(self, at: At[ThingProps], cloud: Cloud) -> Step:
        shelf_of(cloud).check(at.owned, at.logical_name)
        return Done()

    def suspend(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return self._changed("suspend", at, cloud)

    def resume(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return self._changed("resume", at, cloud)

    def _changed(self, verb: str, at: At[ThingProps], cloud: Cloud) -> Step:
        if at.data.get("told"):
            return Done()
        shelf_of(cloud).change(verb, at.owned, at.logical_name, guard_of(cloud))
        return Next(data={"told": True})


@dataclass
class OneShelf:
    """What the type gets as its cloud."""

    shelf: Shelf
    guard: Guard


def shelf_of(cloud: Any) -> Shelf:
    """Return the shelf that a type gets as its cloud."""
    assert isinstance(cloud, OneShelf)
    return cloud.shelf


def guard_of(cloud: Any) -> Guard:
    """Return the guard of its calls."""
    assert isinstance(cloud, OneShelf)
    return cloud.guard


class Odd(Thing):
    """Gives an id that no database takes."""

    type_name = "T::Odd"

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        shelf_of(cloud).put(at.mark, guard_of(cloud))
        odd: Any = object()
        return Done(id=odd)


class FrailProps(Props):
    size: int = prop("How large.", default=1, updatable=True)
    place: str = prop("Where.", default="here")


class Frail(Resource[FrailProps]):
    """Is seen to after it is made: then it may fall sick, or the call be refused."""

    type_name = "T::Frail"
    since = "1"
    Props = FrailProps
    service = "network"

    def find(self, at: At[FrailProps], cloud: Cloud) -> Next | None:
        found = shelf_of(cloud).look(at.mark)
        return None if found is None else Next(id=found, data={"part": 1})

    def create(self, at: At[FrailProps], cloud: Cloud) -> Step:
        if at.id is None:
            return Next(id=shelf_of(cloud).put(at.mark, guard_of(cloud)), data={"part": 1})
        return self._seen_to(at, cloud, at.data)

    def update(self, at: At[FrailProps], cloud: Cloud) -> Step:
        assert at.old is not None
        return self._seen_to(at, cloud, at.stored)

    def delete(self, at: At[FrailProps], cloud: Cloud) -> Step:
        shelf_of(cloud).take(at.owned, guard_of(cloud))
        return Done()

    def keep(self, at: At[FrailProps], cloud: Cloud) -> Step:
        if at.data.get("copied"):
            return self._seen_to(at, cloud, {})
        shelf_of(cloud).copies.append(at.owned)
        return Next(data={"copied": True})

    def is_sound(self, at: At[FrailProps], cloud: Cloud) -> bool:
        shelf = shelf_of(cloud)
        shelf.check(at.owned, at.logical_name)
        return at.owned not in shelf.sick

    def _seen_to(self, at: At[FrailProps], cloud: Cloud, data: Mapping[str, Any]) -> Step:
        shelf = shelf_of(cloud)
        fate = shelf.faults.pop(0) if shelf.faults else Fate.ANSWERED
        if fate is Fate.SICK:
            shelf.sick.add(at.owned)
            text = f"{at.logical_name} fell sick, {len(shelf.sick)}"
            raise CloudError(text, service="network", status=500, code=IN_ERROR)
        if fate is not Fate.ANSWERED:
            raise _error(fate)
        return Done({"size": at.props.size}, data=data)


class Mere(Resource[ThingProps]):
    """Makes nothing in any cloud."""

    type_name = "T::Mere"
    since = "1"
    Props = ThingProps

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return Done(id=at.name)

    def delete(self, at: At[ThingProps], cloud: Cloud) -> Step:
        return Done()


class NestProps(Props):
    inner: Mapping[str, Any] = prop("Resources of the child.", updatable=True)


class Nest(Resource[NestProps]):
    """Has a child stack."""

    type_name = "T::Nest"
    since = "1"
    Props = NestProps
    has_child = True

    def child(self, at: At[NestProps]) -> Child:
        return Child({"heat_template_version": "2021-04-16", "resources": thaw(at.props.inner)})

    def create(self, at: At[NestProps], cloud: Cloud) -> Step:
        return Done() if at.child is not None else self.child(at)

    def update(self, at: At[NestProps], cloud: Cloud) -> Step:
        return self.create(at, cloud)

    def delete(self, at: At[NestProps], cloud: Cloud) -> Step:
        return Done() if at.id is None else ChildGone()


class Things:
    """The index of these types."""

    _kinds: ClassVar[dict[str, Resource[Any]]] = {
        kind.type_name: kind for kind in (Thing(), Odd(), Frail(), Mere(), Nest())
    }

    def get(self, type_name: str) -> Resource[Any] | None:
        return self._kinds.get(type_name)

    def names(self) -> Iterable[str]:
        return self._kinds

    def from_template(self, name: str, text: str) -> Resource[Any]:
        raise Invalid([])


class Keys:
    """Credentials that open the shelf; ``tend`` does what a test says."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.tends: Any = lambda: None
        self.given = 0
        self.serving = True
        self.lost = False
        self.as_it_is: bool | None = None

    @contextmanager
    def delegated(self, _caller: Caller) -> Iterator[int]:
        self.given += 1
        yield self.given

    def serves(self, _creds_id: int, _caller: Caller, *, as_it_is: bool = False) -> bool:
        self.as_it_is = as_it_is
        return self.serving

    def is_lost(self, _creds_id: int, _caller: Caller) -> bool:
        return self.lost

    def cloud_for(self, _caller: Caller) -> Any:
        return OneShelf(self.shelf, Unguarded())

    def cloud_of(self, _stack: Any, guard: Guard) -> Any:
        return OneShelf(self.shelf, guard)

    def tend(self) -> None:
        self.tends()
