"""What all objects of Neutron have in common: a type of it is mostly a table.

Rule: an object is made under a name that only it has, which is how it is found when the
answer was lost: the physical name, or, where the user chose the name, the mark; then it is
renamed. What is still due is read from the object, so that any step can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final, TypeVar

from stoker.errors import CloudError, CloudNotFound, Kind, Problem
from stoker.sdk.cloud import Cloud
from stoker.sdk.fault import IN_ERROR
from stoker.sdk.resource import At, Done, Next, Resource, Step, View, Wait
from stoker.sdk.schema import plain
from stoker.sdk.value import is_unknown, thaw

SETTLED: Final = frozenset({"ACTIVE", "DOWN"})
_FORBIDDEN_SPECS: Final = frozenset({"shared", "tenant_id", "project_id"})
_ERROR: Final = 500


P = TypeVar("P", bound=Any)


class NeutronObject(Resource[P]):
    """Base of the Neutron types; ``kind`` is the body's key."""

    service = "network"
    kind: ClassVar[str]
    waits: ClassVar[bool] = False  # until its status is a settled one

    def body(self, at: At[P], cloud: Cloud) -> dict[str, Any]:
        """Return what a create sends, without the name."""
        raise NotImplementedError

    def changes(self, at: At[P], cloud: Cloud) -> dict[str, Any]:
        """Return what an update of ``at.changed`` sends."""
        raise NotImplementedError

    def has_more(self, at: At[P]) -> bool:
        """Tell whether something hangs on the object that :meth:`converge` sees to."""
        return False

    def converge(self, at: At[P], cloud: Cloud, shown: Mapping[str, Any]) -> Next | None:
        """Bring what hangs on the object one call nearer to the goal; None: it is there."""
        return None

    def shown(self, at: At[P], cloud: Cloud, shown: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the attributes to record of an object as the service shows it."""
        return shown

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else view.attributes.get(name)

    def find(self, at: At[P], cloud: Cloud) -> Next | None:
        rows = cloud.network.list(self.kind, name=_first_name(at), fields="id")
        return Next(id=rows[0]["id"]) if rows else None

    def live(self, at: At[P], cloud: Cloud) -> Mapping[str, Any]:
        found: Mapping[str, Any] = cloud.network.show(self.kind, at.owned)
        return found

    def is_sound(self, at: At[P], cloud: Cloud) -> bool:
        return bool(cloud.network.show(self.kind, at.owned).get("status") != "ERROR")

    def create(self, at: At[P], cloud: Cloud) -> Step:
        if at.id is not None:
            return self._go_on(at, cloud, cloud.network.show(self.kind, at.id))
        body = {**self.body(at, cloud), "name": _first_name(at)}
        made = cloud.network.create(self.kind, body)
        if self._is_due(at, made):
            return Next(id=made["id"])
        return Done(self.shown(at, cloud, made), id=made["id"])

    def update(self, at: At[P], cloud: Cloud) -> Step:
        if "put" not in at.data and (changes := self.changes(at, cloud)):
            shown = cloud.network.update(self.kind, at.owned, changes)
            if self._is_due(at, shown):
                return Next(data={"put": True})
            return Done(self.shown(at, cloud, shown), data=at.stored)
        return self._go_on(at, cloud, cloud.network.show(self.kind, at.owned))

    def delete(self, at: At[P], cloud: Cloud) -> Step:
        if at.id is None:
            return Done()
        with suppress(CloudNotFound):
            cloud.network.delete(self.kind, at.id)
        return Done()

    def check(self, at: At[P], cloud: Cloud) -> Step:
        shown = cloud.network.show(self.kind, at.owned)
        if shown.get("status") == "ERROR":
            raise _in_error(self.kind, shown)
        return Done(self.shown(at, cloud, shown))

    def _is_due(self, at: At[P], shown: Mapping[str, Any]) -> bool:
        """Tell whether more is to be done, and so the object to be read again."""
        return (
            _has_first_name(at, shown)
            or _has_other_tags(at, shown)
            or (self.waits and shown.get("status") not in SETTLED)
            or self.has_more(at)
        )

    def _go_on(self, at: At[P], cloud: Cloud, shown: Mapping[str, Any]) -> Step:
        if _has_first_name(at, shown):
            cloud.network.update(self.kind, at.owned, {"name": at.props.name})
            return Next(data=at.data)
        if _has_other_tags(at, shown):
            cloud.network.set_tags(self.kind, at.owned, list(at.props.tags or ()))
            return Next(data=at.data)
        if self.waits and shown.get("status") not in SETTLED:
            return self._wait(shown)
        if (more := self.converge(at, cloud, shown)) is not None:
            return more
        return Done(self.shown(at, cloud, shown), data=at.stored)

    def _wait(self, shown: Mapping[str, Any]) -> Wait:
        if shown.get("status") == "ERROR":
            raise _in_error(self.kind, shown)
        return Wait(1.0)


def _in_error(kind: str, shown: Mapping[str, Any]) -> CloudError:
    text = f"the {kind} {shown['id']} went to status ERROR"
    return CloudError(text, service="network", status=_ERROR, code=IN_ERROR)


def _first_name(at: At[Any]) -> str:
    return at.mark if at.props.name else at.name


def _has_first_name(at: At[Any], shown: Mapping[str, Any]) -> bool:
    return bool(at.props.name) and shown.get("name") == at.mark


def _has_other_tags(at: At[Any], shown: Mapping[str, Any]) -> bool:
    """Tags that were never asked for are somebody else's."""
    wanted = getattr(at.props, "tags", None)
    if wanted is None and "tags" not in at.changed:
        return False
    return sorted(shown.get("tags", ())) != sorted(set(wanted or ()))


def plain_changes(at: At[Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the changed among these fields under their names in the service's body."""
    changed = {
        wire: thaw(getattr(at.props, field)) for field, wire in names.items() if field in at.changed
    }
    if "name" in at.changed:
        changed["name"] = at.props.name or at.name
    if "value_specs" in at.changed:
        changed |= thaw(at.props.value_specs)
    return changed


def plain_body(at: At[Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return those of these fields that have a value, and the ``value_specs``."""
    values = {wire: plain(getattr(at.props, field)) for field, wire in names.items()}
    given = {wire: value for wire, value in values.items() if value is not None}
    specs: dict[str, Any] = thaw(getattr(at.props, "value_specs", {}))
    return given | specs


def spec_problems(props: Any) -> Iterable[Problem]:
    """Yield what is wrong with ``value_specs``: it may not say what properties say."""
    if is_unknown(props.value_specs):
        return
    for name in props.value_specs.keys() & (_FORBIDDEN_SPECS | props.properties().keys()):
        text = f"value_specs may not hold {name}; use the property"
        yield Problem(text, ("value_specs", name), None, Kind.PROPERTY)
