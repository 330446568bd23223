"""Things of which snapshots keep copies, on the shelf of :mod:`tests.engine.shelf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.resources.heat.resource_group import ResourceGroup
from stoker.sdk.copies import RESTORES, CopyProps
from stoker.sdk.resource import At, Done, Next, Resource, Step
from stoker.sdk.schema import prop
from tests.engine.shelf import Thing, ThingProps, Things, guard_of, shelf_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.sdk.cloud import Cloud


class Copy(Resource[CopyProps]):
    """A copy of a thing: another thing, with the source's id in front of its mark."""

    type_name = "a copy of T::Kept"
    since = "1"
    Props = CopyProps
    service = "network"

    def find(self, at: At[CopyProps], cloud: Cloud) -> Next | None:
        found = shelf_of(cloud).look(self._label(at))
        return None if found is None else Next(id=found)

    def create(self, at: At[CopyProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done()
        shelf_of(cloud).told.append(("copy", at.logical_name))
        return Done(id=shelf_of(cloud).put(self._label(at), guard_of(cloud)))

    def delete(self, at: At[CopyProps], cloud: Cloud) -> Step:
        shelf_of(cloud).take(at.owned, guard_of(cloud))
        return Done()

    def _label(self, at: At[CopyProps]) -> str:
        return f"{at.props.source} {at.mark}"


class KeptProps(ThingProps):
    size: int = prop("How large.", default=1, updatable=True)
    origin: str | None = prop("The copy that it is of.", default=None, updatable=True)
    copied: bool = prop("Whether snapshots keep a copy.", default=True, updatable=True)


class Kept(Thing):
    """A thing whose data can be brought back; ``told`` says from which copy."""

    type_name = "T::Kept"
    Props = KeptProps
    copies = Copy()
    copy_key = "copied_to"

    def is_copied(self, props: Any) -> bool:
        return bool(props.copied)

    def restored(self, copy: str) -> Mapping[str, Any]:
        return {"origin": copy}

    def update(self, at: At[Any], cloud: Cloud) -> Step:
        if "origin" in at.changed and at.props.origin:
            shelf_of(cloud).told.append(("restore", f"{at.logical_name} of {at.props.origin}"))
            assert at.data == {RESTORES: True}
        return Done()


_MORE: dict[str, Resource[Any]] = {kind.type_name: kind for kind in (Kept(), ResourceGroup())}


class KeepingThings(Things):
    """The index with these types beside the others, and groups of them."""

    def get(self, type_name: str) -> Resource[Any] | None:
        return _MORE.get(type_name) or super().get(type_name)

    def names(self) -> Iterable[str]:
        return [*super().names(), *_MORE]
