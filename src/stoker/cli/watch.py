"""Follow an operation on a stack to its end, showing how its graph comes along.

Rule: whatever is shown comes from the API, so that it works with any endpoint. Watching changes
nothing: who stops watching, or loses the connection, leaves the operation to go on.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from stoker.cli.nesting import key_of, linked
from stoker.cli.operation import Operation, Outcome, Sight, Source
from stoker.cli.progress import advanced, as_before, doubtful
from stoker.errors import CloudError, StokerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.cli.progress import Progress
    from stoker.cli.session import Json
    from stoker.cli.view import View

LOOK_SECONDS = (0.25, 3.0)
"""The shortest and the longest time between looks; slow services are asked less often."""
LOOK_SHARE = 5.0
SILENCE_SECONDS = 120.0
"""How long the service may give no answer before watching ends."""
SETTLE_SECONDS = 10.0
"""How long an end that may be an earlier operation's, or before a rollback, is doubted."""


class StillWaiting(StokerError):
    """The operation has not ended within the time that was given."""


class Detached(StokerError):
    """Whoever watched does not want to any more."""


def follow(source: Source, operation: Operation, view: View, most: float | None = None) -> Outcome:
    """Show the operation until it has ended, and return how.

    Raises :class:`StillWaiting` after ``most`` seconds, and CloudError when the service is
    silent for too long.
    """
    sight: Sight | None = None
    with view:
        for sight in _sights(source, operation, most):
            view.show(sight)
    assert sight is not None  # noqa: S101 - there is a first look, or an error
    return Outcome(operation, sight.stack, sight.progress, sight.now)


def watched(source: Source, operation: Operation, view: View, most: float | None) -> Outcome:
    """Follow the operation; Ctrl-C raises :class:`Detached`, and the operation goes on."""
    try:
        return follow(source, operation, view, most)
    except KeyboardInterrupt:
        what = f"the {operation.action.lower()} of {operation.name}"
        again = f"watch it again with `stoker status --follow {operation.name}`"
        raise Detached(f"not watching any more; {what} goes on; {again}") from None


def _sights(source: Source, operation: Operation, most: float | None) -> Iterator[Sight]:
    """Look again and again until the operation has ended."""
    begun, heard = operation.asked, time.monotonic()
    progress = operation.start
    stack: Json = {"stack_status": f"{operation.action}_IN_PROGRESS", "stack_status_reason": ""}
    end = _End(source, operation)
    while True:
        asked = time.monotonic()
        try:
            stack, rows = _looked(source, operation)
        except CloudError as error:
            silence = time.monotonic() - heard
            if not _may_pass(error) or silence > SILENCE_SECONDS:
                raise
            yield Sight(stack, progress, time.monotonic() - begun, str(error))
        else:
            heard = time.monotonic()
            progress = advanced(_unmoved(source, operation, progress, rows), rows, heard - begun)
            yield Sight(stack, progress, heard - begun)
            if end.is_here(stack, heard):
                return
        if most is not None and time.monotonic() - begun >= most:
            raise StillWaiting(
                f"stack {operation.name} is still {stack['stack_status']} after {most:.0f} s; "
                f"it goes on; watch it again with `stoker status --follow {operation.name}`"
            )
        shortest, longest = LOOK_SECONDS
        time.sleep(min(longest, max(shortest, LOOK_SHARE * (time.monotonic() - asked))))


def _may_pass(error: CloudError) -> bool:
    """Tell whether a failed look is worth another."""
    status = error.status
    passing = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT)
    return status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in passing


def _looked(source: Source, operation: Operation) -> tuple[Json, list[Json]]:
    try:
        stack = source.stack(operation.name, operation.id)
        return stack, source.resources(operation.name, operation.id)
    except CloudError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
    return {"stack_status": "DELETE_COMPLETE", "stack_status_reason": "It is gone."}, []


def _unmoved(
    source: Source, operation: Operation, progress: Progress, rows: list[Json]
) -> Progress:
    """Return the progress that knows what was only looked at: what has no event of its own."""
    doubts = doubtful(progress, rows)
    if not doubts:
        return progress
    try:
        events = operation.events(source)
    except CloudError:  # a policy, or a service that keeps none; the times must do then
        return progress
    told = {key_of(event, progress.homes) for event in events if not _is_of_stack(event)}
    return as_before(progress, rows, doubts - told)


def _is_of_stack(event: Json) -> bool:
    return bool(event.get("physical_resource_id") == linked(event, "stack"))


class _End:
    """Tells whether a stack's status is the end of the operation that is watched."""

    def __init__(self, source: Source, operation: Operation) -> None:
        self._source, self._operation = source, operation
        self._is_ours = operation.fresh
        self._doubted: float | None = None

    def is_here(self, stack: Json, now: float) -> bool:
        """Tell so of a stack that was looked at just now."""
        status = str(stack["stack_status"])
        if status.endswith("_IN_PROGRESS"):
            self._is_ours, self._doubted = True, None
            return False
        if status == "DELETE_COMPLETE":
            return True
        if not self._may_roll_back(stack, status) and (self._is_ours or self._was_told(status)):
            return True
        if self._doubted is None:
            self._doubted = now
        return now - self._doubted > SETTLE_SECONDS

    def _may_roll_back(self, stack: Json, status: str) -> bool:
        """Tell whether a rollback may come yet: a service sets FAILED a moment before."""
        failed = status in ("CREATE_FAILED", "UPDATE_FAILED")
        return failed and stack.get("disable_rollback") is False

    def _was_told(self, status: str) -> bool:
        """Look for the stack's own event about it, among those of this operation."""
        return any(
            event["resource_status"] == status
            and event.get("physical_resource_id") == self._operation.id == linked(event, "stack")
            for event in self._operation.events(self._source)
        )
