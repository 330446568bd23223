"""Who used what: the order in which recorded objects can go."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from stoker.graph.dag import CycleError, Dag
from stoker.plan.node import Node, Row, cleanup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stoker.plan.node import RowView

    Choice = Callable[[RowView, Sequence[RowView]], Sequence[RowView]]
    """Gives, of the rows of a name that another requires, those that it may have used."""


def users(clean: Mapping[int, RowView]) -> dict[int, set[Node]]:
    """Return for each row the clean-up nodes of the rows that used it.

    Rows of several templates may lie beside each other, several of one name: all of them go
    after whoever required the name. Where such orders contradict each other, only the row that
    was most likely used counts; where those do too, none does: a wrong order waits for ever,
    while the cloud's own 409s keep the right one.
    """
    choices: tuple[Choice, ...] = (_all, _likely)
    for choice in choices:
        found = _users(clean, choice)
        try:
            list(Dag[Row]({i: frozenset(n.row for n in u) for i, u in found.items()}).waves())
        except CycleError:
            continue
        return found
    return {i: set() for i in clean}


def _all(_user: RowView, named: Sequence[RowView]) -> Sequence[RowView]:
    return named


def _likely(user: RowView, named: Sequence[RowView]) -> Sequence[RowView]:
    """Return what stays where the user goes on with it, else the last one before the user."""
    if user.stays and not user.doomed:
        return [row for row in named if row.stays] or named
    return [row for row in named if row.id < user.id][-1:] or named


def _users(clean: Mapping[int, RowView], choice: Choice) -> dict[int, set[Node]]:
    by_name: dict[str, list[RowView]] = defaultdict(list)
    for row in sorted(clean.values(), key=lambda row: row.id):
        by_name[row.name].append(row)
    found: dict[int, set[Node]] = {i: set() for i in clean}
    for user in clean.values():
        for need in user.requires:
            for row in choice(user, by_name.get(need, ())):
                if row.id != user.id:
                    found[row.id].add(cleanup(user.id))
    return found
