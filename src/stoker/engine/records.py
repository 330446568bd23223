"""Recorded resources as a plan reads them, and the form in which definitions are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.observing import OBSERVES
from stoker.engine.source import Source
from stoker.engine.views import Recorded as View
from stoker.errors import Invalid
from stoker.lang.expression import dump
from stoker.plan.decide import Recorded
from stoker.sdk.copies import RESTORES
from stoker.sdk.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.plan.desired import Want
    from stoker.sdk.resource import Types
    from stoker.store.database import Database


REQUIRES = "requires"
"""Beside a definition: the names that the goal refers to. The row's own column tells on what the
object stands that is there, and follows when that is changed: until then it says what can go."""
_BESIDE = frozenset({REQUIRES, OBSERVES})


def definition_of(want: Want) -> dict[str, Any]:
    """Return what a resource's row keeps of its definition: a step never loads the template."""
    definition = want.definition
    rules = {"hooks": sorted(want.hooks), "restricted": sorted(want.restricted)}
    return {
        **{name: words for name, words in rules.items() if words},
        "type": definition.type,
        "implementation": want.type_name,
        "properties": dump(definition.properties),
        "metadata": dump(definition.metadata),
        "update_policy": dump(definition.update_policy),
        "deletion_policy": definition.deletion_policy,
        "external_id": definition.external_id,
        "description": definition.description,
        "hidden": sorted(want.kind.Props.secrets()),
    }


class PlanRow:
    """A resource row as ``plan.RowView``; sealed columns are opened when they are read.

    What it says of other resources is read of ``source``. ``settled``: the stack's last goal
    was reached, whatever was done to the stack since.
    """

    def __init__(
        self, database: Database, types: Types, row: Any, *, settled: bool, source: Source
    ) -> None:
        self.row, self._settled = row, settled
        self.forced: frozenset[str] = frozenset()  # properties to bring about once more
        self.looks = False  # at its object before anything is decided, as soon as there is one
        self._database, self._types = database, types
        self._view = View(source, types, row)

    @property
    def id(self) -> int:
        return int(self.row.id)

    @property
    def name(self) -> str:
        return str(self.row.name)

    @property
    def requires(self) -> Sequence[str]:
        return list(self.row.requires)

    @property
    def is_begun(self) -> bool:
        """Whether there is an object, or may be."""
        recorded = self.recorded()
        return recorded.made or recorded.verb is not None

    @property
    def external_id(self) -> str | None:
        found: str | None = self.definition["external_id"]
        return found

    @property
    def stays(self) -> bool:
        return bool(self.row.is_current) and self.row.action != "DELETE"

    @property
    def doomed(self) -> bool:
        return bool(self.row.is_doomed)

    @property
    def reached(self) -> bool:
        return self._settled and bool(self.row.is_current)

    @property
    def is_observable(self) -> bool:
        """Whether it has, or may get meanwhile, an object of ours to look at, or to go back to;
        what is below looks itself."""
        kind = self._types.get(self.row.implementation)
        looks = kind is not None and kind.service is not None and not kind.has_child
        return looks and (self.stays or self.returnable) and self.external_id is None

    @property
    def observed(self) -> bool:
        return self.looks and self.row.physical_id is not None

    @property
    def returnable(self) -> bool:
        row = self.row
        busy = row.engine_id is not None or row.verb is not None
        whole = row.status == "COMPLETE" and row.action not in ("INIT", "DELETE")
        return whole and not busy and not row.is_current

    def exclusive(self) -> frozenset[object]:
        kind, base = self._types.get(self.row.implementation), self.recorded()
        raw = base.applied if base.applied is not None else base.sent
        if kind is None or raw is None or not base.made:
            return frozenset()
        try:
            values: frozenset[object] = kind.exclusive(kind.Props.parse(raw))
        except Invalid:  # recorded under another schema
            return frozenset()
        return values

    @property
    def resting(self) -> bool:
        row = self.row
        busy = row.engine_id is not None or row.verb is not None or row.is_doomed
        return row.status == "COMPLETE" and row.action != "INIT" and not busy

    def recorded(self) -> Recorded:
        row = self.row
        progress = self._open(row.progress) or {}
        return Recorded(
            type=row.implementation,
            action=row.action,
            status=row.status,
            made=row.physical_id is not None or bool(progress.get("data")),
            sent=self._open(row.sent),
            applied=self._open(row.applied),
            verb=row.verb,
            touched=self.forced.union(progress.get("changed", ())),
            has_id=row.physical_id is not None,
        )

    def same_definition(self, want: Want) -> bool:
        made_as_wanted = self.row.implementation == want.type_name
        known = {name: each for name, each in self.definition.items() if name not in _BESIDE}
        asked = self.forced or self.looks
        return made_as_wanted and not asked and known == definition_of(want)

    def same_metadata(self, want: Want) -> bool:
        return bool(self.definition["metadata"] == dump(want.definition.metadata))

    def reference(self) -> Any:
        return self._view.reference()

    def attribute(self, name: str | None, path: tuple[Any, ...]) -> Any:
        return self._view.all_attributes() if name is None else self._view.attribute(name, path)

    @lazy
    def definition(self) -> dict[str, Any]:
        """The definition as recorded."""
        opened: dict[str, Any] = self._database.sealer.open(self.row.definition)
        return opened

    def asked(self) -> bytes | None:
        """Return the progress of the row with what its next step is to do in any case: bring it
        back to what a copy holds. None leaves it."""
        if not self.forced:
            return None
        left = self._open(self.row.progress) or {}
        changed = sorted(self.forced.union(left.get("changed", ())))
        return self._database.sealer.seal({**left, "changed": changed, RESTORES: True})

    def _open(self, sealed: bytes | None) -> Any:
        return None if sealed is None else self._database.sealer.open(sealed)
