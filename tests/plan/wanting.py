"""Types, templates and recorded rows for the tests of plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stoker.errors import Invalid
from stoker.lang import template as templates
from stoker.lang.environment import Environment
from stoker.lang.stack import Inputs, instantiate
from stoker.plan.decide import Recorded
from stoker.plan.desired import Desired, Want, desired
from stoker.sdk.resource import Resource, Wanted
from stoker.sdk.schema import Attr, Props, attrs, prop


class PlainProps(Props):
    size: int = prop("Changes in place.", default=1, updatable=True)
    place: str = prop("Changes by replacement.", default="here")
    address: str | None = prop("Only one object has it.", default=None)
    likes: str | None = prop("A resource that goes first.", default=None)
    fixed: str | None = prop("Never changes.", default=None, immutable=True)


class Plain(Resource[PlainProps]):
    type_name = "T::Plain"
    since = "1"
    Props = PlainProps
    attributes = attrs(where=Attr("Where it is."))

    def exclusive(self, props: PlainProps) -> frozenset[object]:
        return frozenset({props.address} - {None})

    def after(self, mine: Wanted, others: Any) -> Iterable[str]:
        liked = mine.properties.get("likes") if isinstance(mine.properties, Mapping) else None
        return [liked] if isinstance(liked, str) else []


class Nest(Resource[PlainProps]):
    type_name = "T::Nest"
    since = "1"
    Props = PlainProps
    has_child = True


class Frail(Plain):
    """What there is of it can be gone on with."""

    type_name = "T::Frail"

    def is_sound(self, at: Any, cloud: Any) -> bool:
        raise AssertionError("a plan looks at nothing")


PLAIN, NEST, FRAIL = Plain(), Nest(), Frail()


class Kinds:
    """The index of these types."""

    def get(self, type_name: str) -> Resource[Any] | None:
        return {"T::Plain": PLAIN, "T::Nest": NEST}.get(type_name)

    def names(self) -> Iterable[str]:
        return ["T::Nest", "T::Plain"]

    def from_template(self, name: str, text: str) -> Resource[Any]:
        raise Invalid([])


def goal(**resources: dict[str, Any]) -> Desired:
    """Return what a template of these resources wants; ``type`` is T::Plain unless said."""
    whole = {name: {"type": "T::Plain", **body} for name, body in resources.items()}
    template = templates.read({"heat_template_version": "2021-04-16", "resources": whole})
    instance = instantiate(template, Inputs("s", "id", "p"))
    wanted, problems = desired(instance, Environment(), {}, Kinds())
    if problems:
        raise Invalid(problems)
    return wanted


def plain(*needs: str, **properties: Any) -> dict[str, Any]:
    """Return a resource that depends on others by name."""
    return {"properties": properties, "depends_on": list(needs)}


@dataclass
class Row:
    """A recorded resource: made, complete, at rest, as its template wanted it."""

    id: int
    name: str
    requires: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    type: str = "T::Plain"
    action: str = "CREATE"
    status: str = "COMPLETE"
    stays: bool = True
    resting: bool = True
    reached: bool = True
    is_as_wanted: bool = True
    made: bool = True
    sent: Mapping[str, Any] | None = None
    returnable: bool = False
    doomed: bool = False
    observed: bool = False
    external_id: str | None = None

    def exclusive(self) -> frozenset[object]:
        return PLAIN.exclusive(PlainProps.parse(self.properties))

    def recorded(self) -> Recorded:
        sent = self.properties if self.sent is None else self.sent
        return Recorded(self.type, self.action, self.status, self.made, sent, self.properties)

    def same_definition(self, want: Want) -> bool:
        return self.is_as_wanted

    def same_metadata(self, want: Want) -> bool:
        return self.is_as_wanted

    def reference(self) -> Any:
        return f"id-of-{self.name}"

    def attribute(self, name: str | None, path: tuple[Any, ...]) -> Any:
        return f"{name}-of-{self.name}"
