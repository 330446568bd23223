"""Hooks: where an environment holds a resource up until a user lets it go on.

A held row keeps in its progress where it is held and what it has passed, for one traversal; a
new one begins anew. It is given back, due again now and then; letting it go makes it due at once.
The texts of the events are what clients look for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from stoker.store.work import EventRow, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.job import Job
    from stoker.engine.notes import Notes

HOOKS = "hooks"
"""Under which key of the progress it is kept."""

_LOOK_SECONDS = 60.0
_AFTER = ("post-create", "post-update", "post-delete")
_CHANGING = ("UPDATE", "ROLLBACK")


@dataclass(frozen=True, slots=True)
class Held:
    """Where a row is held, and which hooks it has passed, in a traversal."""

    traversal: str | None
    at: str | None = None
    passed: tuple[str, ...] = ()

    @classmethod
    def of(cls, progress: Mapping[str, Any], traversal: str | None) -> Held:
        """Return what the progress says; what was noted in another traversal does not count."""
        kept = progress.get(HOOKS)
        if kept is None or kept["traversal"] != traversal:
            return cls(traversal)
        return cls(traversal, kept["at"], tuple(kept["passed"]))

    def let_go(self) -> Held:
        """Return this with the hook passed at which it is held."""
        return replace(self, at=None, passed=(*self.passed, *([self.at] if self.at else [])))

    def within(self, progress: Mapping[str, Any]) -> dict[str, Any]:
        """Return the progress with this noted."""
        return {**progress, HOOKS: asdict(self)}


def paused(hook: str) -> str:
    """Return the reason of the event of a row that is held."""
    return f"{hook.partition('-')[2].upper()} paused until Hook {hook} is cleared"


def cleared(hook: str) -> str:
    """Return the reason of the event of a row that is let go."""
    return f"Hook {hook} is cleared"


class Holding:
    """Makes results of rows that are held."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def before(self, job: Job, verb: str) -> Result | None:
        """Return the result of a row that is held before the verb; None: it goes on."""
        hook, held = f"pre-{verb}", self._held(job)
        if not _applies(job, hook) or hook in held.passed:
            return None
        if held.at == hook:
            return Result(job.claim, seconds=_LOOK_SECONDS)
        columns = self._noted(job.progress, replace(held, at=hook))
        row = job.row
        event = self._notes.event(job, row.action, row.status, reason=paused(hook))
        return Result(job.claim, columns, seconds=_LOOK_SECONDS, events=(event,))

    def after(self, job: Job, verb: str, result: Result) -> Result:
        """Return the result of a verb that is done, held up where a hook says so."""
        hook = f"post-{verb}"
        if result.ended != "good" or not _applies(job, hook):
            return result
        done = result.events[-1]
        event = EventRow(done.action, done.status, paused(hook), done.physical_id, done.properties)
        columns = {**result.columns, **self._noted({}, replace(self._held(job), at=hook))}
        return replace(
            result, columns=columns, events=(*result.events, event),
            ended=None, gone=False, seconds=_LOOK_SECONDS,
        )  # fmt: skip

    def done(self, job: Job, *, gone: bool = False) -> Result | None:
        """Return the result of a row whose verb is done already; None: there is more to do."""
        held = self._held(job)
        if held.at in _AFTER:
            return Result(job.claim, seconds=_LOOK_SECONDS)
        if not any(hook in _AFTER for hook in held.passed):
            return None
        return Result(job.claim, {"progress": None}, ended="good", gone=gone)

    @staticmethod
    def _held(job: Job) -> Held:
        return Held.of(job.progress, job.row.traversal_id)

    def _noted(self, progress: Mapping[str, Any], held: Held) -> dict[str, Any]:
        return {"progress": self._notes.seal(held.within(progress))}


def _applies(job: Job, hook: str) -> bool:
    """Tell whether the hook holds the row up in what its stack does."""
    doing, verb = job.stack.action, hook.partition("-")[2].upper()
    fits = doing in _CHANGING if verb == "UPDATE" else doing == verb
    return fits and bool(job.row.is_current) and hook in job.definition.get(HOOKS, ())
