"""Progress as people see it: a picture that is redrawn on a terminal, lines anywhere else.

Rule: pure; who shows it decides where and when. A picture is never higher than it may be: what
is left out is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from stoker.cli.progress import Progress, State

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from rich.console import RenderableType

    from stoker.cli.nesting import Key
    from stoker.cli.progress import Item

STYLES = {
    State.WAITING: "dim",
    State.KEPT: "dim",
    State.WORKING: "yellow",
    State.DONE: "green",
    State.FAILED: "bold red",
}
"""Of the symbols; what is said beside them is as plain as it can be."""
_NAMES = {**dict.fromkeys(State, ""), State.WAITING: "dim", State.KEPT: "dim", State.FAILED: "red"}
_NOTES = {**dict.fromkeys(State, "dim"), State.WORKING: "", State.FAILED: "red"}
_WORDS = {
    State.FAILED: "failed",
    State.WORKING: "working",
    State.DONE: "done",
    State.KEPT: "unchanged",
    State.WAITING: "waiting",
}
_LEAST = (State.FAILED, State.WORKING, State.WAITING, State.DONE, State.KEPT)
"""What a picture shows first when there is not room for all."""
_BEFORE = re.compile(r"^\w+: (?:resources(?:\.[\w-]+|\[[^]]*\])+: )+")
MOST_NAMES = 3
WIDE = 90
MOST_TYPE = 34
MOST_PATH = 40
LEAST_CELL = 24
BAR = 24
LEAST_SECONDS = 0.1


def picture(progress: Progress, title: str, now: float, size: tuple[int, int]) -> RenderableType:
    """Return the graph with a head line, in at most ``size``: columns and lines."""
    width, height = size
    ordered, waits = progress.ordered(), progress.waits()
    chosen = _fitting(ordered, height - 4)
    blamed = holders(progress)
    rows = [(item, _cells(item, note(item, waits, blamed), now, width)) for item in chosen]
    widths = [max(map(len, column)) for column in zip(*(cells for _, cells in rows), strict=True)]
    body = [
        _row(item, cells, [min(widths[0], max(16, width * 2 // 5)), *widths[1:]])
        for item, cells in rows
    ]
    return Group(head(progress, title, now), *body, *_left_out(ordered, chosen))


def _row(item: Item, cells: Sequence[str], widths: Sequence[int]) -> Text:
    """Return a line; a terminal cuts what is too long of the last cell."""
    name, type, seconds, text = cells
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f" {item.state} ", STYLES[item.state])
    line.append(_cut(name, widths[0]), _NAMES[item.state])
    line.append(f"  {type.ljust(widths[1])}" if widths[1] else "", "dim")
    line.append(f"  {seconds.rjust(max(7, widths[2]))}  ")
    line.append(text, _NOTES[item.state])
    return line


def _cut(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else f"{text[: width - 1]}…"


def head(progress: Progress, title: str, now: float) -> Text:
    """Return one line that tells how far all is."""
    over, kept = progress.count(State.DONE), progress.count(State.KEPT)
    total = len(progress.items) - kept
    filled = BAR * over // total if total else 0
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(title, "bold")
    text.append("  ")
    text.append("━" * filled, "green")
    text.append("─" * (BAR - filled), "dim")
    text.append(f"  {over}/{total}{f', {kept} unchanged' if kept else ''}  {elapsed(now)}")
    return text


def _cells(item: Item, text: str, now: float, width: int) -> tuple[str, str, str, str]:
    """Return name, type, time and note; a narrow screen has no room for types."""
    indent = "  " * (len(item.key) - 1)
    type = _cut(short(item.type), min(MOST_TYPE, len(short(item.type)))) if width >= WIDE else ""
    return f"{indent}{item.name}", type, taken(item, now), text


def _fitting(ordered: Sequence[Item], room: int) -> list[Item]:
    """Return what there is room for: what failed or is worked on, then the rest."""
    if len(ordered) <= room:
        return list(ordered)
    keys = {item.key for item in sorted(ordered, key=_weight)[: max(room, 1)]}
    return [item for item in ordered if item.key in keys]


def _weight(item: Item) -> tuple[int, int, float]:
    """Return what sorts the more telling first: of what is over, the stack's own, and the last."""
    is_over = item.state in (State.DONE, State.KEPT)
    return _LEAST.index(item.state), len(item.key) if is_over else 0, -(item.ended or 0.0)


def _left_out(ordered: Sequence[Item], chosen: Sequence[Item]) -> list[Text]:
    left = Counter(item.state for item in ordered)
    left.subtract(item.state for item in chosen)
    told = [f"{left[state]} {word}" for state, word in _WORDS.items() if left[state]]
    return [Text(f"  … and {', '.join(told)}", "dim")] if told else []


def lines(before: Progress, after: Progress, now: float) -> list[str]:
    """Return a line for each resource that has moved from one look to the next."""
    waits, blamed = after.waits(), holders(after)
    # What is in nested stacks comes to be known later; the least leaves room for some of it.
    items = after.items.values()
    paths = min(MOST_PATH, max((len(item.path) for item in items), default=0))
    types = min(MOST_TYPE, max((len(short(item.type)) for item in items), default=0))
    paths, types = max(paths, LEAST_CELL), max(types, LEAST_CELL)
    moved = [each for each in after.ordered() if _moved(before.items.get(each.key), each)]
    return [
        "  ".join(
            (
                f"  {item.state}",
                item.path.ljust(paths),
                short(item.type).ljust(types),
                taken(item, now).rjust(7),
                note(item, waits, blamed),
            )
        ).rstrip()
        for item in _inner_ends_first(moved)
    ]


def _inner_ends_first(items: Sequence[Item]) -> list[Item]:
    """Return what has ended after what is in it, and what goes on before that."""
    told: list[Item] = []
    held: list[Item] = []
    for item in items:
        while held and item.key[: len(held[-1].key)] != held[-1].key:
            told.append(held.pop())
        (told if item.state is State.WORKING else held).append(item)
    return [*told, *reversed(held)]


def _moved(before: Item | None, after: Item) -> bool:
    if after.state in (State.WAITING, State.KEPT):
        return False
    return before is None or (before.state, before.status) != (after.state, after.status)


def standing(progress: Progress, now: float) -> str:
    """Return one line about what everything waits for just now."""
    working = [item for item in progress.ordered() if item.state is State.WORKING]
    inner = [item for item in working if not _has_within(item.key, working)]
    at = ", ".join(f"{item.path} ({elapsed(item.seconds(now))})" for item in inner[:MOST_NAMES])
    more = f" and {len(inner) - MOST_NAMES} more" if len(inner) > MOST_NAMES else ""
    over, total = progress.count(State.DONE), len(progress.items) - progress.count(State.KEPT)
    return f"  {over}/{total} after {elapsed(now)}: {at or 'nothing'}{more}"


def _has_within(key: Key, items: Sequence[Item]) -> bool:
    return any(len(each.key) > len(key) and each.key[: len(key)] == key for each in items)


def taken(item: Item, now: float) -> str:
    """Return how long an item has taken, or less than what where nobody saw it begin."""
    if item.at_most is not None:
        return f"<{elapsed(max(item.at_most, LEAST_SECONDS))}"
    return elapsed(item.seconds(now))


def elapsed(seconds: float | None) -> str:
    """Return ``3.2 s``, ``1:05`` or ``1:01:05``; "" for None."""
    if seconds is None:
        return ""
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def holders(progress: Progress) -> set[Key]:
    """Return the keys of what failed only because something in it did."""
    return {
        item.key[:end]
        for item in progress.items.values()
        if item.state is State.FAILED
        for end in range(1, len(item.key))
    }


def note(item: Item, waits: Mapping[Key, tuple[Key, ...]], blamed: Container[Key] = ()) -> str:
    """Return what is to be said about an item: its status, or what it waits for.

    The reason of one that is ``blamed`` for what is in it is told there.
    """
    if item.state is State.FAILED:
        reason = "" if item.key in blamed else plain(item.reason)
        return f"{item.status}: {reason}" if reason else item.status
    if names := waits.get(item.key):
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return f"waits for {', '.join(key[-1] for key in names[:MOST_NAMES])}{more}"
    if item.state is State.WAITING:
        return ""
    return "unchanged" if item.state is State.KEPT else item.status


def plain(reason: str) -> str:
    """Return a reason in one line, without the class and the name that services put before it."""
    return _BEFORE.sub("", " ".join(reason.split()))


def short(type: str) -> str:
    """Return a type's name; of a template's URL the last part."""
    return type.rpartition("/")[2] if "://" in type else type
