"""What the author of a resource type imports: the shape of a type, and its steps.

A resource type is a value: its name, its property and attribute classes, and a few
small functions. None of them keeps state between calls: a function is told where it
stands (:class:`At`), makes at most one call that changes the cloud, and says what comes
next. The engine commits that before it asks again, so any worker can go on after any crash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from stoker.errors import Bug, Path, Problem
from stoker.sdk.around import Around, nothing_around
from stoker.sdk.schema import Attr, Props

if TYPE_CHECKING:
    from stoker.lang.expression import Expr
    from stoker.sdk.cloud import Cloud, Lookup
    from stoker.usecases.software import NewConfig

P = TypeVar("P", bound=Props)


@dataclass(frozen=True, slots=True)
class StackInfo:
    """The stack that a resource belongs to."""

    id: str
    name: str
    project_id: str


@dataclass(frozen=True, slots=True)
class ChildState:
    """The child stack of a resource, once the operation that was asked for has ended well."""

    id: str
    outputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Below:
    """What a child stack was last asked to be, whether or not it is that by now."""

    template: str | Mapping[str, Any]
    parameters: Mapping[str, Any]


class Told(Protocol):
    """Gives the state that signals have brought a resource to: this one, or another of its
    stack by its id; None where that takes no signals."""

    def __call__(self, reference: str | None = None, /) -> Mapping[str, Any] | None: ...


def _told_nothing(_reference: str | None = None, /) -> Mapping[str, Any] | None:
    return None


def _nothing_below() -> Below | None:
    return None


def _no_configs(_config_id: str, /) -> str | None:
    return None


def _no_clock() -> float:
    raise Bug("nothing is done at any time here")


class NoPolicy(Props):
    """The update policy of a type that has none."""


@dataclass(frozen=True, slots=True)
class At(Generic[P]):
    """Where a verb stands, as the resource's row has it.

    ``name`` is the physical name ``<stack>-<resource>-<12 characters>``, cut to the type's
    ``name_limit``. ``mark`` is unique to this resource and this attempt: what a create call
    carries (in a name, tag or metadata) so that an object can be found whose id never came.
    ``data`` is what the step before left; it starts empty with each verb. ``stored`` is what
    is kept for life: the data of :class:`Done`, or, where a create never ended, the data
    that its last step left (so that a delete can remove what was made besides the object).
    ``changed`` names the properties in which the wanted ones differ from those last sent *or*
    last applied; ``old`` is what was last applied (an update only). ``child`` is there once
    the child operation that this verb asked for is complete; ``below()`` is what its child stack
    is to be as yet, None where there is none. ``policy()`` is the update policy, of the type's
    ``Policy``; it raises Invalid. ``deadline`` is when the stack's time is up, by ``clock()``.
    ``entropy(n)`` gives n random
    bytes, ``clock()`` the seconds since the epoch, ``verb`` is what is under way. ``told()``
    is the state that signals have brought this resource to, ``told(id)`` that of another one
    in its stack, None where that takes none. ``config_text(id)`` is what a software config of
    the project holds, None where there is none. ``around()`` is what its stack was made with.
    Who asks for a state and gives :class:`Wait` is asked again at the next signal, where the type
    says that it ``listens``.
    """

    props: P
    name: str
    mark: str
    logical_name: str
    stack: StackInfo
    entropy: Callable[[int], bytes]
    id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, Any] = field(default_factory=dict)
    old: P | None = None
    changed: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    child: ChildState | None = None
    verb: str | None = None
    told: Told = _told_nothing
    clock: Callable[[], float] = _no_clock
    config_text: Callable[[str], str | None] = _no_configs
    around: Callable[[], Around] = nothing_around
    below: Callable[[], Below | None] = _nothing_below
    policy: Callable[[], Any] = NoPolicy
    deadline: float | None = None

    @property
    def owned(self) -> str:
        """The id of the object that this resource owns."""
        if self.id is None:
            raise Bug("there is no object yet")
        return self.id


@dataclass(frozen=True, slots=True)
class Next:
    """One step is done: record ``id`` (None keeps it) and ``data``, then ask again at once."""

    id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wait:
    """Not there yet: record ``data`` (None keeps it) and ask again after so many seconds."""

    seconds: float = 1.0
    data: Mapping[str, Any] | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """There. ``attributes`` are what ``get_attr`` may read; JSON values only.

    ``id`` may be given by a verb that ends with its first call. ``data`` is kept beside
    the resource for life (:attr:`View.data`), encrypted at rest. ``silenced`` is what
    ``at.told`` was asked for and forgets now what it was told. ``config`` is kept as the software
    config that has the resource's id, by types that say ``keeps_config``.
    """

    attributes: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    silenced: str | None = None
    config: NewConfig | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """Bring the child stack of this resource to this goal, then ask again with ``at.child``.

    ``template`` is template text or a mapping; ``files`` None shares those of the stack;
    ``environment`` None hands this stack's down. The child's id becomes the resource's id.
    A child that fails fails this resource, with the path and text of the first cause. ``data``
    is recorded with it (None keeps what there is). The resources ``held`` are in the template as
    they are in the child's present goal, and are not touched until another goal comes: they stay
    what they are, whatever their types stand for by now.
    """

    template: str | Mapping[str, Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timeout_mins: int | None = None
    file: str = "template"
    data: Mapping[str, Any] | None = None
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ChildGone:
    """Delete the child stack of this resource, then ask again with ``at.child`` None."""


Step = Next | Wait | Done | Child | ChildGone


@dataclass(frozen=True, slots=True)
class Signalled:
    """What comes of a signal: the new state, and what the event says of it."""

    state: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What hearing a signal has left, ``Next`` while a verb is under way and else ``Done``,
    and what the event says of it; ``failure`` instead where it failed.
    """

    step: Next | Done
    reason: str = ""
    failure: str | None = None


class View(Protocol):
    """A resource as it is recorded, for the functions that give its values."""

    @property
    def name(self) -> str: ...
    @property
    def id(self) -> str | None: ...
    @property
    def attributes(self) -> Mapping[str, Any]: ...
    @property
    def data(self) -> Mapping[str, Any]: ...
    @property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs of its child stack; empty when it has none."""
        ...

    @property
    def child_arn(self) -> str | None:
        """The name of its child stack in full, ``arn:openstack:heat::…``; None without one."""
        ...

    @property
    def told(self) -> Told:
        """Gives what signals have brought it to, or another one, as :attr:`At.told` does."""
        ...

    @property
    def members(self) -> Mapping[str, Member]:
        """Resources of its child stack by name, in the template's order."""
        ...


class Member(Protocol):
    """One resource of a child stack."""

    def reference(self) -> Any: ...
    def attribute(self, name: str, path: tuple[Any, ...] = ()) -> Any: ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """A resource as the template wants it, before values are known."""

    name: str
    type: str
    properties: Expr


class Others(Protocol):
    """The other resources of the template, found by type without a scan."""

    def of_type(self, *types: str) -> Iterable[Wanted]: ...


class Resource(Generic[P]):
    """Base of every native resource type; instances are stateless and shared.

    ``create`` is asked again until it gives :class:`Done`: with ``at.id`` None it makes the
    object, with an id it goes on (waits, renames, reads). ``delete`` is asked again until
    Done; Done means that the object is gone; it is asked only where there is an id or
    something stored. ``check``, ``suspend`` and ``resume`` are written by types that have
    them, and asked again until Done; where that gives attributes or data, they replace what
    is recorded. ``check`` changes nothing and raises what is wrong with the object. Raise
    CloudError and let the engine decide about retries; raise Invalid for what no retry can
    mend.
    """

    type_name: ClassVar[str]
    since: ClassVar[str]
    doc: ClassVar[str] = ""
    Props: ClassVar[type[Any]]
    Policy: ClassVar[type[Any]] = NoPolicy  # what ``update_policy`` may say
    attributes: ClassVar[Mapping[str, Attr]] = {}
    support_status: ClassVar[str] = "SUPPORTED"
    service: ClassVar[str | None] = None  # the catalog's service type that it needs
    name_limit: ClassVar[int] = 255
    ids_of_users: ClassVar[bool] = False  # each user has ids of his own: one is no one's alone
    has_child: ClassVar[bool] = False
    computes: ClassVar[bool] = False  # its steps only compute, and soon: see ``engine.following``
    open_attributes: ClassVar[bool] = False  # any attribute name may be asked for
    live_attributes: ClassVar[frozenset[str]] = frozenset()  # not recorded: see ``look``
    deaf_actions: ClassVar[frozenset[str]] = frozenset({"SUSPEND", "DELETE"})  # to signals
    listens: ClassVar[bool] = False  # its steps wait for what signals tell another resource
    shows_state: ClassVar[bool] = False  # what signals have brought it to is its metadata
    keeps_config: ClassVar[bool] = False  # a software config, which goes with it: ``Done.config``
    always_updated: ClassVar[bool] = False  # what it hands on may have changed: see ``At.around``

    variant: ClassVar[str | None] = None  # of the type of its name: see ``sdk.variants``
    variants: ClassVar[Mapping[str, Resource[Any]]] = {}

    copies: ClassVar[Resource[Any] | None] = None  # what snapshots keep of it: ``sdk.copies``
    copy_key: ClassVar[str] = "copy_id"  # under which a snapshot's ``resource_data`` names it

    def validate(self, props: P) -> Iterable[Problem]:
        """Return what is wrong beyond the schema; paths relative to the properties."""
        return ()

    def lookups(self, props: P) -> Iterable[Lookup]:
        """Return what must exist in the cloud for these properties to be valid."""
        return type(props).lookups_in(props)

    def lookups_around(self, props: P, around: Around) -> Iterable[Lookup]:
        """Return the same, for types that hand on what is around them."""
        return self.lookups(props)

    def fitting(self, raw: Mapping[str, Any]) -> Resource[Any]:
        """Return the variant of the type that these properties, as in a template, ask for."""
        return self

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        """Return names of resources that must be made before this one, though it names none."""
        return ()

    def replaces(self, old: P, new: P, changed: frozenset[str]) -> frozenset[str]:
        """Return which of the changed properties can only be had by a new object."""
        return changed - type(new).updatable()

    def exclusive(self, props: P) -> frozenset[object]:
        """Return the values that only one object can hold at a time.

        On a replacement where old and new share one, the old object goes first.
        """
        return frozenset()

    def is_one(self, one: P, other: P) -> bool:
        """Return whether what was made with these properties, and has one id, is one object."""
        return True

    def reference(self, view: View) -> Any:
        """Return what ``get_resource`` gives: the id, or the name where there is none."""
        return view.id or view.name

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        """Return what ``get_attr`` gives before the path is walked by the caller.

        A type that consumes (part of) the path itself returns :class:`Walked`.
        """
        return view.attributes.get(name)

    def look(self, view: View, name: str, path: tuple[Any, ...], cloud: Cloud) -> Any:
        """Return one of the ``live_attributes`` as it is now, as ``attribute`` does.

        For what does not last: it is asked for when a person looks, with his own rights; in
        the properties of other resources it is null. Raises CloudError.
        """
        raise Bug(f"{self.type_name} has no attribute {name} to look at")

    def child(self, at: At[P]) -> Child | None:
        """Return the goal of the child stack (pure; values may be UNKNOWN), for types with one.

        Validation follows it down; ``create`` and ``update`` return the same value.
        """
        return None

    def source_of(self, at: Path) -> Path | None:
        """Return of what in its properties the part ``at`` of its child's template is made.

        None: of nothing there; the template is one that people wrote.
        """
        return None

    def find(self, at: At[P], cloud: Cloud) -> Next | None:
        """Return what a create call without an answer has made, if it has; make no change."""
        return None

    def is_sound(self, at: At[P], cloud: Cloud) -> bool:
        """Tell whether what there is of a resource that has failed can be gone on with; make
        no change. CloudNotFound says no. Types without it are replaced when their create failed.
        """
        raise NotImplementedError

    def live(self, at: At[P], cloud: Cloud) -> Mapping[str, Any]:
        """Return the object as it is now, by names of properties where the service has the same;
        make no change. CloudNotFound says that it is gone. Of types without it an update that
        looks at what there is sees only whether it is there, if they have a check.
        """
        raise NotImplementedError

    def keep(self, at: At[P], cloud: Cloud) -> Step:
        """Make a copy of its data that outlives it; asked until Done before a deletion whose
        policy is Snapshot. Types without it cannot have that policy."""
        raise NotImplementedError

    def create(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def update(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def delete(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def supports(self, verb: str) -> bool:
        """Tell whether the type has this verb (or look); where not, there is nothing to do for it.

        Types with a child stack have them all: the engine does the same to the child.
        """
        return getattr(type(self), verb) is not getattr(Resource, verb)

    def check(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def suspend(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def resume(self, at: At[P], cloud: Cloud) -> Step:
        raise NotImplementedError

    def on_signal(self, state: Mapping[str, Any], details: Mapping[str, Any]) -> Signalled:
        """Return what a signal makes of the state, empty at first; pure, for it is asked while
        the caller waits. Raises UserError for what is no signal to this type."""
        raise NotImplementedError

    def hear(self, at: At[P], details: Mapping[str, Any], cloud: Cloud) -> Heard:
        """Do what a signal tells it, for types that need a cloud for it, and not
        :meth:`on_signal`; asked at the resource's next step, and never twice."""
        raise NotImplementedError

    def is_copied(self, props: P) -> bool:
        """Tell whether a snapshot keeps a copy of one with these properties; asked only where
        the type has ``copies``."""
        return True

    def restored(self, copy: str) -> Mapping[str, Any]:
        """Return the properties, as in a template, that bring back what a copy (by id) holds;
        None is for one that has no place beside them."""
        raise NotImplementedError

    def adopt(self, at: At[P], cloud: Cloud) -> Step:
        """Take an object on that is there already, with what is stored of it; make no change.

        Asked until Done, whose attributes and data are recorded. A check is what it takes.
        """
        return self.check(at, cloud) if self.supports("check") else Done(data=at.stored)

    def stored_of(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what this keeps for life, from an export: ``resource_data`` of ours or Heat's."""
        return data

    def told_of(self, view: View) -> Mapping[str, Any]:
        """Return the ``resource_data`` of an export, which :meth:`stored_of` understands."""
        return view.data


@dataclass(frozen=True, slots=True)
class Walked:
    """An attribute's value with the path already walked."""

    value: Any


class Types(Protocol):
    """The index of resource types by name; loads a type when it is first asked for."""

    def get(self, type_name: str) -> Resource[Any] | None: ...
    def names(self) -> Iterable[str]: ...
    def from_template(self, name: str, text: str) -> Resource[Any]:
        """Return the provider type that a template makes; raises Invalid."""
        ...
