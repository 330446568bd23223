"""Progress as people see it: a table that is redrawn on a terminal, lines anywhere else.

Rule: pure; who shows it decides where and when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from stoker.cli.progress import Progress, State

if TYPE_CHECKING:
    from stoker.cli.progress import Item

_STYLES = {
    State.WAITING: "dim",
    State.WORKING: "yellow",
    State.DONE: "green",
    State.FAILED: "bold red",
}
MOST_NAMES = 3


def table(progress: Progress, now: float) -> Table:
    """Return the graph: a row for each resource, with its state, time and what it waits for."""
    shown = Table.grid(padding=(0, 2))
    for item in progress.ordered():
        style = _STYLES[item.state]
        shown.add_row(
            Text(f"  {item.state}", style),
            Text(item.name, style),
            Text(item.type, "dim"),
            Text(_seconds(item, now), style),
            Text(_note(progress, item), style),
        )
    return shown


def lines(before: Progress, after: Progress, now: float) -> list[str]:
    """Return a line for each resource that has moved from one look to the next."""
    return [
        "  ".join(
            (
                f"  {item.state}",
                item.name.ljust(16),
                item.type.ljust(28),
                _seconds(item, now),
                _note(after, item),
            )
        ).rstrip()
        for item in after.ordered()
        if item.state is not _state_in(before, item.name)
    ]


def _state_in(progress: Progress, name: str) -> State:
    item = progress.items.get(name)
    return State.WAITING if item is None else item.state


def _seconds(item: Item, now: float) -> str:
    seconds = item.seconds(now)
    return "       " if seconds is None else f"{seconds:5.1f} s"


def _note(progress: Progress, item: Item) -> str:
    if item.state is State.FAILED:
        return f"{item.status}: {item.reason}" if item.reason else item.status
    if item.state is not State.WAITING:
        return item.status
    names = progress.waits_for(item)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"waits for {', '.join(names[:MOST_NAMES])}{more}" if names else ""
