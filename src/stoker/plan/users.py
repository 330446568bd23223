"""Who used what: the order in which recorded objects can go."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from stoker.graph.dag import CycleError, Dag
from stoker.plan.node import Node, Row, cleanup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.plan.node import RowView


def users(clean: Mapping[int, RowView]) -> dict[int, set[Node]]:
    """Return for each row the clean-up nodes of the rows that used it.

    Rows of several templates may lie beside each other; where their dependencies contradict
    each other, the ones of rows on their way out give way (the cloud's own 409s keep order).
    """
    for rows in (list(clean.values()), [r for r in clean.values() if r.stays], []):
        found = _users_among(clean, rows)
        try:
            list(Dag[Row]({i: frozenset(n.row for n in u) for i, u in found.items()}).waves())
        except CycleError:
            continue
        return found
    return {i: set() for i in clean}


def _users_among(clean: Mapping[int, RowView], users: list[RowView]) -> dict[int, set[Node]]:
    by_name: dict[str, list[int]] = defaultdict(list)
    for row in clean.values():
        by_name[row.name].append(row.id)
    found: dict[int, set[Node]] = {i: set() for i in clean}
    for user in users:
        for need in user.requires:
            for i in by_name.get(need, ()):
                if i != user.id:
                    found[i].add(cleanup(user.id))
    return found
