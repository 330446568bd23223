"""The counters of nodes: what ends lets go what has waited for it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from stoker.store import tables as t
from stoker.store.bulk import IDS, add, among, update
from stoker.store.packing import Fetch
from stoker.store.traversal import Ready

if TYPE_CHECKING:
    from collections.abc import Sequence

    import sqlalchemy as sa

    from stoker.store.traversal import Ended

_s, _e = t.sync_point.c, t.edge.c
_HELD_UP = Fetch(
    {
        "need": _e.need_id, "node": _s.id, "row": _s.resource_id, "traversal_id": _s.traversal_id,
        "missing": _s.missing, "done": _s.done,
    },
    lambda select: select.select_from(
        t.edge.join(t.sync_point, _s.id == _e.dependent_id)
    ).where(among(_e.need_id)),
)  # fmt: skip


class Nodes:
    """The counters of nodes in one transaction, which holds their stacks: nobody else counts.

    They are read as nodes end, and written once.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._ended: list[int] = []
        self._met: Counter[int] = Counter()
        self._poisoned: Counter[int] = Counter()

    def let_go(self, ended: Sequence[Ended]) -> list[Ready]:
        """Count ended nodes out of what they held up; return what waits for no other any more."""
        if not ended:
            return []
        bad = {e.node_id for e in ended if e.bad}
        nodes = [e.node_id for e in ended]
        waiting = {}
        for each in _HELD_UP.rows(self._connection, {IDS: nodes}):
            self._met[each.node] += 1
            self._poisoned[each.node] += each.need in bad
            waiting[each.node] = each
        self._ended += nodes
        return [
            Ready(each.row, node, each.traversal_id)
            for node, each in waiting.items()
            if each.missing == self._met[node] and not each.done
        ]

    def is_poisoned(self, node: int) -> bool:
        """Tell whether one of those that have ended so has ended badly, of what held it up."""
        return self._poisoned[node] > 0

    def write(self) -> None:
        """Write what has ended, and what that has come to for others."""
        done = [{"id": node, "done": True} for node in sorted(self._ended)]
        update(self._connection, t.sync_point, done)
        met, poisoned = self._met, self._poisoned
        counted = [{"missing": -met[n], "poisoned": poisoned[n], "id": n} for n in sorted(met)]
        add(self._connection, t.sync_point, counted)
