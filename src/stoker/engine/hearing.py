"""Hearing what a signal says, for types that need a cloud for it: one step of a resource.

That the hearing begins is committed before it does, by ``inbox_read`` and an intent, and never
twice of the same signal: one that was cut off is told of as failed. What a verb under way still
has to find out about a call of its own goes first; a resource whose turn has not come hears
nothing while it is half-way through a verb, and none hears anything before there is something
of it. Where nothing has come of its creation, or something of another type that hears nothing,
the signal is told of as failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine import reasons
from stoker.engine.columns import REMOVE, as_it_was
from stoker.engine.secrets import masked
from stoker.errors import CloudError, UserError
from stoker.plan.machine import Again, after_fault
from stoker.sdk.fault import fault
from stoker.sdk.resource import Done
from stoker.sdk.signal import HEAR, SIGNAL, happened
from stoker.store import inbox
from stoker.store.work import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.engine.job import Job, Tools
    from stoker.engine.lease import CallGuard
    from stoker.engine.notes import Notes
    from stoker.sdk.cloud import Cloud, Guard
    from stoker.sdk.resource import Heard, Resource
    from stoker.store.inbox import Letter

_SIGNS = frozenset({"physical_id", "progress"})
"""The columns that say that there is something of a resource."""

NOTHING_THERE = "there is nothing that could hear the signal: the creation failed"
NOTHING_LEFT = "there is nothing that could hear the signal: it is deleted"
ANOTHER_THERE = "there is nothing that could hear the signal: the resource is of another type now"
CUT_OFF = "what the signal did is not known: the engine that heard it is gone"


class Hearing:
    """Makes results of mail; ``jitter`` gives a number in [0, 1)."""

    def __init__(
        self, tools: Tools, notes: Notes, cloud_of: Callable[[Any, Guard], Cloud],
        jitter: Callable[[], float],
    ) -> None:  # fmt: skip
        self._tools, self._notes = tools, notes
        self._cloud_of, self._jitter = cloud_of, jitter

    def at_rest(self, job: Job, guard: CallGuard) -> Result:
        """Return the result of a row that is due for its mail alone."""
        letter = self._next(job) if job.row.verb is None and _is_begun(job) else None
        if letter is None:
            return Result(job.claim, as_it_was(job.claim))
        return self._heard(job, letter, guard)

    def first(self, job: Job, guard: CallGuard) -> Result | None:
        """Return the result of the mail that comes before the row's own next step, if any."""
        letter = self._next(job) if _is_begun(job) and self._may_hear(job) else None
        if letter is None:
            return None
        is_begun = letter.id <= job.row.inbox_read
        if job.claim.in_doubt and not is_begun:  # of the verb's own call
            return None
        return self._heard(job, letter, guard)

    def heeding(self, job: Job, result: Result) -> Result:
        """Return the result of a step of the row's own, a wait ended by mail that comes with it.

        While a call is in doubt mail ends none, for it could not be heard yet.
        """
        if result.seconds is None or not self._may_hear(job):
            return result
        if not (_is_begun(job) or result.columns.keys() & _SIGNS):
            return result
        is_sure = not job.claim.in_doubt or result.columns.get("intent_at", 0.0) is None
        mine = {job.row.id: 0} if is_sure else {}
        return replace(result, listened={**result.listened, **mine})

    def _may_hear(self, job: Job) -> bool:
        """Tell whether mail comes before the row's next step: what is deleted hears nothing."""
        is_going = not job.claim.forward or job.row.verb == REMOVE
        return not is_going and self._hears(job)

    def _hears(self, job: Job) -> bool:
        kind = self._tools.types.get(job.row.implementation)
        return kind is not None and kind.supports(HEAR)

    def _next(self, job: Job) -> Letter | None:
        with self._tools.database.read() as connection:
            return inbox.oldest(connection, job.row.id)

    def _heard(self, job: Job, letter: Letter, guard: CallGuard) -> Result:
        failure = _come_to_nothing(job) if self._hears(job) else ANOTHER_THERE
        if failure is not None:
            return self._through(job, letter, failure=failure)
        is_intended = job.row.intent_at is not None  # not so where the step lost its lease
        if letter.id > job.row.inbox_read or not is_intended:
            return Result(job.claim, {"inbox_read": letter.id}, on=True)
        if job.claim.in_doubt:
            return self._through(job, letter, failure=CUT_OFF)
        kind, details = job.made_kind, self._tools.database.sealer.open(letter.payload)
        try:
            heard = self._asked(kind, job, details, guard)
        except (CloudError, UserError) as e:
            return self._failed(job, letter, e, guard)
        reason = heard.reason or happened(details)
        return self._through(job, letter, heard, reason=reason, failure=heard.failure)

    def _asked(
        self, kind: Resource[Any], job: Job, details: Mapping[str, Any], guard: CallGuard
    ) -> Heard:
        at = job.at(job.row.verb or SIGNAL)
        return kind.hear(at, details, self._cloud_of(job.stack, guard))

    def _failed(
        self, job: Job, letter: Letter, error: CloudError | UserError, guard: CallGuard
    ) -> Result:
        if isinstance(error, CloudError) and not guard.passed:  # nothing was done yet
            retry_after, attempt = error.retry_after, job.row.attempt
            again = after_fault(fault(error), attempt, self._jitter(), retry_after)
            if isinstance(again, Again):
                columns = {"attempt": attempt + 1, "intent_at": None}
                return Result(job.claim, columns, seconds=again.seconds)
        return self._through(job, letter, failure=reasons.of_resource(job.row.name, error))

    def _through(
        self, job: Job, letter: Letter, heard: Heard | None = None, *,
        reason: str = "", failure: str | None = None,
    ) -> Result:  # fmt: skip
        """Return the result of a letter that is done with; a verb under way goes on."""
        status = job.row.status if failure is None else "FAILED"
        text = masked(failure or reason, job.secrets)
        event = self._notes.event(job, SIGNAL, status, reason=text)
        step = None if heard is None else heard.step
        columns: dict[str, Any] = {"intent_at": None, "attempt": 0}
        if step is not None:
            columns |= self._left(job, step)
        goes_on = job.row.verb is not None
        return Result(
            job.claim, columns, events=(event,), heard=letter.id,
            data=self._notes.sealed_data(step.data) if isinstance(step, Done) else None,
            on=goes_on, seconds=None if goes_on else 0.0,
        )  # fmt: skip

    def _left(self, job: Job, step: Any) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        if step.id is not None:
            columns["physical_id"] = step.id
        if isinstance(step, Done) and step.attributes:
            columns["attributes"] = self._notes.seal(step.attributes)
        if not isinstance(step, Done):
            columns["progress"] = self._notes.progress(job, step.data)
        return columns


def _is_begun(job: Job) -> bool:
    """Tell whether there is something of the resource that could hear."""
    row = job.row
    if row.verb == "create":
        return row.physical_id is not None or bool(job.progress.get("data"))
    return row.verb is not None or row.action != "INIT"


def _come_to_nothing(job: Job) -> str | None:
    """Tell why nothing is left of what was begun, if that is so."""
    row = job.row
    if (row.verb, row.action, row.status) == (None, "DELETE", "COMPLETE"):
        return NOTHING_LEFT  # though its next step may make it anew
    is_failed = (row.verb, row.status, row.applied) == (None, "FAILED", None)
    nothing = is_failed and row.physical_id is None and not job.stored
    return NOTHING_THERE if nothing else None
