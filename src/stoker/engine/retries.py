"""Making an object anew that went to an error state while it was made.

The broken object is deleted first, by the verb :data:`REMOVE` on the same row, then the
create begins again, each time after a longer pause. What is told in the end is the first failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.engine.columns import REMOVE, at_rest, under_way
from stoker.plan.machine import before_retry
from stoker.sdk.fault import Fault
from stoker.store.work import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.job import Job
    from stoker.engine.notes import Notes
    from stoker.engine.settings import Settings

_TRIES, _FIRST = "tries", "first"


class Retries:
    """Makes results of creates that are begun again; ``jitter`` gives a number in [0, 1)."""

    def __init__(self, notes: Notes, settings: Settings, jitter: Callable[[], float]) -> None:
        self._notes, self._settings, self._jitter = notes, settings, jitter

    def applies(self, job: Job, sort: Fault) -> bool:
        """Tell whether the object that the job's create has made is to be made again."""
        row = job.row
        there = row.verb == "create" and row.physical_id is not None
        due = job.progress.get(_TRIES, 0) < self._settings.action_retry_limit
        return sort is Fault.BROKEN and there and due and job.claim.forward and job.work().ours

    def begin(self, job: Job, reason: str) -> Result:
        """Return the result that begins to delete the broken object."""
        left = {_TRIES: job.progress.get(_TRIES, 0) + 1, _FIRST: first_reason(job, reason)}
        columns = {
            **under_way(REMOVE, job.row.traversal_id),
            "action": "CREATE",
            "status_reason": reason,
            "progress": self._notes.seal(left),
        }
        failed = self._notes.event(job, "create", "FAILED", reason=reason)
        deleting = self._notes.event(job, "delete", "IN_PROGRESS")
        kept = {**job.stored, **job.progress.get("data", {})}
        return Result(
            job.claim, columns, on=True, events=(failed, deleting),
            data=self._notes.sealed_data(kept),
        )  # fmt: skip

    def removed(self, job: Job) -> Result:
        """Return the result that begins the create again, now that the object is gone."""
        deleted = self._notes.event(job, "delete", "COMPLETE")
        gone = {"physical_id": None, "attributes": None}
        if not job.work().ours:  # whoever has taken over decides
            reason = first_reason(job, job.row.status_reason)
            columns = {**at_rest("create", "FAILED", reason), **gone, "progress": None}
            return Result(job.claim, columns, on=True, events=(deleted,), data={})
        left = {name: job.progress[name] for name in (_TRIES, _FIRST)}
        begun = under_way("create", job.row.traversal_id)
        columns = {**begun, **gone, "progress": self._notes.seal(left)}
        pause = before_retry(left[_TRIES], self._jitter()) * self._settings.retry_seconds
        event = self._notes.event(job, "create", "IN_PROGRESS")
        return Result(job.claim, columns, seconds=pause, events=(deleted, event), data={})


def first_reason(job: Job, reason: str) -> str:
    """Return the reason of the first failure, where others went before this one."""
    found: str = job.progress.get(_FIRST, reason)
    return found
