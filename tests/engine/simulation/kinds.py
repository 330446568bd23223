"""The index of the sky's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.errors import Invalid
from tests.engine.simulation.grouped import Grouped
from tests.engine.simulation.heard import Ear, Hark
from tests.engine.simulation.kept import Kept
from tests.engine.simulation.things import Chosen, Nest, Quiet, Relation, Renamed, Slow, Tagged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.sdk.resource import Resource


class Kinds:
    """The index of these types, and of ``others`` in their place or beside them."""

    def __init__(self, *others: Resource[Any]) -> None:
        own: tuple[Resource[Any], ...] = (
            Tagged(), Renamed(), Chosen(), Slow(), Relation(), Quiet(), Nest(),
            Kept(), Hark(), Ear(), Grouped(),
        )  # fmt: skip
        self._kinds = {kind.type_name: kind for kind in (*own, *others)}

    def get(self, type_name: str) -> Resource[Any] | None:
        return self._kinds.get(type_name)

    def names(self) -> Iterable[str]:
        return self._kinds

    def from_template(self, name: str, text: str) -> Resource[Any]:
        raise Invalid([])
