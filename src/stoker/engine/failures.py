"""What comes of an error: another try, a resource that has failed, a doubt that stays.

Where an error says nothing sure about what a call did, the intent stays. A check that could not
be carried out keeps its verb: it has found nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine import reasons
from stoker.engine.columns import (
    SETTLED,
    as_it_was,
    at_rest,
    at_rest_in_doubt,
    is_action,
    is_unbegun,
)
from stoker.engine.retries import Retries, first_reason
from stoker.engine.secrets import masked
from stoker.errors import CloudError
from stoker.plan.machine import PASSING, Again, after_fault
from stoker.sdk.fault import Fault, fault
from stoker.store import queries
from stoker.store.work import Result
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.job import Job, Tools
    from stoker.engine.lease import CallGuard
    from stoker.engine.notes import Notes
    from stoker.engine.settings import Settings
    from stoker.errors import StokerError, UserError

_REPEATABLE = frozenset({500, 503})
"""Answers after which the service is through with the request: one look is enough."""

_SERVER_ERROR = 500
_NEVER_DONE = frozenset({501, 505})


class Failures:
    """Makes results of errors; ``jitter`` gives a number in [0, 1)."""

    def __init__(
        self, tools: Tools, notes: Notes, settings: Settings, jitter: Callable[[], float]
    ) -> None:
        self._tools, self._notes = tools, notes
        self._settings, self._jitter = settings, jitter
        self._retries = Retries(notes, settings, jitter)

    def failed(
        self, job: Job, verb: str, error: CloudError | UserError, guard: CallGuard
    ) -> Result:
        """Return what becomes of the job whose ``verb`` met the error."""
        intent = self._intent(job, error, guard)
        sort = self._sort(job, error)
        if isinstance(error, CloudError):
            again = after_fault(sort, job.row.attempt, self._jitter(), error.retry_after)
            if isinstance(again, Again):
                return self._again(job, again, intent)
        if is_unbegun(job.claim):
            return self.refused(job, verb, error)
        reason = masked(reasons.of_resource(job.row.name, error), job.secrets)
        if self._retries.applies(job, sort):
            return self._retries.begin(job, reason)
        if verb == "create":
            reason = first_reason(job, reason)
        sure = intent == SETTLED and not (verb == Action.CHECK and sort in PASSING)
        event = self._notes.event(job, verb, "FAILED", reason=reason)
        columns = {**self._fallen(job, verb, reason, sure=sure), **intent}
        if sure and not job.work().ours and job.row.verb is not None and job.claim.forward:
            return Result(job.claim, columns, events=(event,), on=True)  # now to this goal
        return Result(
            job.claim, columns, events=(event,), ended="bad", **reasons.told(verb, reason)
        )

    def _fallen(self, job: Job, verb: str, reason: str, *, sure: bool) -> dict[str, Any]:
        """Return the columns of a verb that has failed; ``sure``: and is over."""
        columns = (at_rest if sure else at_rest_in_doubt)(verb, "FAILED", reason)
        return {**columns, **self._notes.without_steps(job)} if is_action(verb) else columns

    def _sort(self, job: Job, error: CloudError | UserError) -> Fault:
        """A quota is busy, not exhausted, as long as something that may free it is deleted."""
        sort = fault(error)
        if sort is not Fault.QUOTA:
            return sort
        since = job.row.intent_at or job.row.due  # the call was begun after it
        with self._tools.database.read() as connection:
            is_freeing = queries.is_freeing(connection, job.stack.root_id, since)
        return Fault.BUSY if is_freeing else sort

    @staticmethod
    def _again(job: Job, again: Again, intent: dict[str, Any]) -> Result:
        columns = {"attempt": job.row.attempt + 1, **intent}
        return Result(job.claim, columns, seconds=again.seconds)

    def _intent(self, job: Job, error: CloudError | UserError, guard: CallGuard) -> dict[str, Any]:
        """Return the column that says since when a create is in doubt; none leaves it as it is.

        Only the answer to a create call settles what it did: not a failed look for its
        object, nor the failure of a read that followed it.
        """
        is_creating = job.row.verb == "create" and job.row.physical_id is None
        if not (is_creating or job.is_keeping):
            return SETTLED
        if job.in_doubt:
            return {}
        if not guard.passed:
            return SETTLED
        doubt = {"intent_at": guard.passed_at}  # not since the intent: that may be long ago
        if error is not guard.error or not isinstance(error, CloudError):
            return doubt
        if not error.sent or (error.status or _SERVER_ERROR) < _SERVER_ERROR:
            return SETTLED
        if error.status in _REPEATABLE | _NEVER_DONE:
            return {"intent_at": self._tools.database.now() - self._settings.in_doubt_seconds}
        return doubt

    def found(self, job: Job, verb: str, error: StokerError) -> Result:
        """Return what a look has found of a row that was never whole: what it shows is all that
        changes, so that whatever was under way can go on."""
        refused = self.refused(job, verb, error)
        reason = masked(reasons.of_resource(job.row.name, error), job.secrets)
        shown = {"action": verb.upper(), "status": "FAILED", "status_reason": reason}
        return replace(refused, columns={**refused.columns, **shown})

    def refused(self, job: Job, verb: str, error: StokerError) -> Result:
        """Return the failure of an action that has not begun: its row stays as it is."""
        reason = masked(reasons.of_resource(job.row.name, error), job.secrets)
        is_bare = isinstance(error, reasons.ResourceActionRestricted)
        event = self._notes.event(job, verb, "FAILED", reason=str(error) if is_bare else reason)
        return Result(
            job.claim, as_it_was(job.claim), ended="bad",
            events=(event,),
            **reasons.told(verb, reason),
        )  # fmt: skip
