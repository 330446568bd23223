"""Follow an operation on a stack to its end, showing how its graph comes along.

Rule: whatever is shown comes from the API, so that it works with any endpoint.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from rich.live import Live

from stoker.cli.progress import Progress, advanced
from stoker.cli.screen import lines, table
from stoker.errors import CloudError, StokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from stoker.cli.endpoint import Json

LOOK_SECONDS = 0.2
MOST_SECONDS = 600.0


class Failed(StokerError):
    """The operation did not end well."""


class Source(Protocol):
    """Where stacks and resources are seen (:class:`stoker.cli.endpoint.Endpoint`)."""

    def stack(self, name: str, id: str) -> Json: ...
    def resources(self, name: str, id: str) -> list[Json]: ...


def follow(source: Source, name: str, id: str, start: Progress, console: Console) -> Progress:
    """Show the operation until it is complete; raises :class:`Failed` otherwise.

    ``start`` names the action, and holds what is known of the graph already.
    """
    show = _redraw if console.is_terminal else _print
    return show(_looks(source, name, id, start), console)


def _looks(
    source: Source, name: str, id: str, progress: Progress
) -> Iterator[tuple[Progress, Callable[[], float]]]:
    """Look again and again until the operation has ended; give the progress, and the time."""
    begun = time.monotonic()

    def now() -> float:
        return time.monotonic() - begun

    action = progress.action
    while True:
        status, reason = _status(source, name, id)
        progress = advanced(progress, _resources(source, name, id), now())
        yield progress, now
        if status == f"{action}_COMPLETE":
            return
        if _has_failed(status, action):
            raise Failed(f"stack {name} is {status}: {reason}")
        if now() > MOST_SECONDS:
            raise Failed(f"stack {name} is still {status} after {MOST_SECONDS:.0f} s")
        time.sleep(LOOK_SECONDS)


def _has_failed(status: str, action: str) -> bool:
    """Tell whether it is over; the end of an earlier operation may still show for a moment."""
    rolled_back = action != "DELETE" and status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
    return status == f"{action}_FAILED" or rolled_back


def _status(source: Source, name: str, id: str) -> tuple[str, str]:
    try:
        stack = source.stack(name, id)
    except CloudError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return "DELETE_COMPLETE", ""
    return str(stack["stack_status"]), str(stack["stack_status_reason"])


def _resources(source: Source, name: str, id: str) -> list[Json]:
    try:
        return source.resources(name, id)
    except CloudError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return []


def _redraw(looks: Iterator[tuple[Progress, Callable[[], float]]], console: Console) -> Progress:
    progress, now = next(looks)
    with Live(console=console, refresh_per_second=8, get_renderable=lambda: table(progress, now())):
        for progress, now in looks:  # noqa: B007 - the screen reads both
            pass
    return progress


def _print(looks: Iterator[tuple[Progress, Callable[[], float]]], console: Console) -> Progress:
    shown = Progress("", {})
    for progress, now in looks:
        for line in lines(shown, progress, now()):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        shown = progress
    return shown
