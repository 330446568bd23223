"""What a call has left whose answer is not recorded: look, and take what is found for ours.

Rule: what is found by no mark of ours (a relation, a thing under a name) may have been made by
another row whose call came first. What another row records is that row's, and so may be what
another one of its tree is just making, as long as the answer may come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.errors import Invalid
from stoker.store import queries
from stoker.store.work import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.job import Job, Tools
    from stoker.engine.notes import Notes
    from stoker.engine.settings import Settings
    from stoker.sdk.cloud import Cloud
    from stoker.sdk.resource import Next

_LOOK_AGAIN = 1.0


class Doubt:
    """Clears it up, and says how long it lasts."""

    def __init__(self, tools: Tools, notes: Notes, settings: Settings) -> None:
        self._tools, self._notes, self._settings = tools, notes, settings

    def look(self, job: Job, cloud: Cloud) -> Result:
        """Return what to do about a row that may have made something."""
        left = self.left(job)  # before the look: it may have come while that was answered
        found = job.made_kind.find(job.at("create"), cloud)
        if found is not None and not self._is_another_rows(job, found):
            if (open_for := self._may_be_another_rows(job)) > 0:
                return Result(job.claim, seconds=again(open_for))
            columns = {
                "physical_id": found.id,
                "progress": self._notes.progress(job, found.data),
                "intent_at": None,
            }
            return Result(job.claim, columns, on=True)
        if left > 0:  # the call may still have its effect
            return Result(job.claim, seconds=again(left))
        if job.claim.forward:
            return Result(job.claim, on=True)
        return Result(job.claim, {"verb": None, "intent_at": None}, on=True)

    def left(self, job: Job) -> float:
        """Return for how many seconds a call without an answer may still have its effect."""
        if not job.claim.in_doubt:
            return 0.0
        until: float = job.row.intent_at + self._settings.in_doubt_seconds
        return until - self._tools.database.now()

    def _is_another_rows(self, job: Job, found: Next) -> bool:
        if found.id is None:
            return False
        row, kind, opened = job.row, job.made_kind, self._tools.database.sealer.open
        with self._tools.database.read() as connection:
            others = queries.recording(connection, row.implementation, found.id)
        return any(
            other.id != row.id
            and not (kind.ids_of_users and other.user_id != job.stack.user_id)
            and opened(other.definition)["external_id"] is None
            and self._is_one(job, None if other.sent is None else opened(other.sent))
            for other in others
        )

    def _is_one(self, job: Job, sent: Mapping[str, Any] | None) -> bool:
        """Return whether what another row made with these has to be what this one made."""
        mine, others = self._made_with(job, job.sent), self._made_with(job, sent)
        return mine is None or others is None or job.made_kind.is_one(mine, others)

    def _may_be_another_rows(self, job: Job) -> float:
        """Return for how many seconds another row of the tree, which is to make what only one can
        have as well, may still get the answer that it has made what was found."""
        held = self._held(job, job.sent)
        if not held:
            return 0.0
        row, opened = job.row, self._tools.database.sealer.open
        with self._tools.database.read() as connection:
            others = queries.making(connection, job.stack.root_id, row.implementation)
        since = [
            other.intent_at
            for other in others
            if other.id != row.id and held & self._held(job, opened(other.sent))
        ]
        until = max(since, default=0.0) + self._settings.in_doubt_seconds
        return until - self._tools.database.now() if since else 0.0

    def _held(self, job: Job, sent: Mapping[str, Any] | None) -> frozenset[object]:
        """Return what only one object can have that is made with these properties."""
        props = self._made_with(job, sent)
        return frozenset() if props is None else job.made_kind.exclusive(props)

    @staticmethod
    def _made_with(job: Job, sent: Mapping[str, Any] | None) -> Any:
        """Return the properties, if any are recorded and under the schema of today."""
        if sent is None:
            return None
        try:
            return job.made_kind.Props.parse(sent)
        except Invalid:
            return None


def again(left: float) -> float:
    """Return in how many seconds to look again while a doubt lasts."""
    return min(_LOOK_AGAIN, left)
