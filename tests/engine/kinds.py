"""Resource types for tests of what is read: they make nothing and answer from what is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.sdk.prop import Attr, attrs
from stoker.sdk.resource import Resource, Walked
from stoker.sdk.schema import Props, prop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.sdk.resource import View


class PlainProps(Props):
    size: int = prop("How large.", default=1, updatable=True, at_least=1)
    label: str | None = prop("What it says.", default=None)


class Plain(Resource[PlainProps]):
    type_name = "T::Plain"
    since = "1.0.0"
    doc = "Has two attributes."
    Props = PlainProps
    attributes = attrs(a=Attr("The first."), b=Attr("The second.", "map"))


class Shown(Plain):
    """Shows whatever it has recorded under ``show``."""

    type_name = "T::Shown"
    since = "2.0.0"


class Walker(Plain):
    """Follows the path itself."""

    type_name = "T::Walker"
    support_status = "DEPRECATED"

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return Walked(["walked", name, *path])


class Named(Plain):
    """Is referred to by something that it keeps for life."""

    type_name = "T::Named"
    support_status = "HIDDEN"

    def reference(self, view: View) -> Any:
        return view.data["value"]


class Group(Plain):
    """Speaks for the members of its child stack."""

    type_name = "T::Group"
    attributes = attrs(refs=Attr("All.", "list"), a=Attr("The members' own.", "list"))
    open_attributes = True
    has_child = True

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        if name == "refs":
            return [member.reference() for member in view.members.values()]
        return Walked([member.attribute(name, path) for member in view.members.values()])


class Provider(Plain):
    """Has its child stack's outputs as attributes."""

    has_child = True

    def __init__(self, name: str, text: str) -> None:
        self.made_of = (name, text)

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return view.outputs.get(name)


class Kinds:
    """An index of the types above."""

    def __init__(self) -> None:
        kinds = (Plain(), Shown(), Walker(), Named(), Group())
        self._kinds: Mapping[str, Resource[Any]] = {kind.type_name: kind for kind in kinds}

    def get(self, type_name: str) -> Resource[Any] | None:
        return self._kinds.get(type_name)

    def names(self) -> Iterable[str]:
        return self._kinds

    def from_template(self, name: str, text: str) -> Resource[Any]:
        return Provider(name, text)
