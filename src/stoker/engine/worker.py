"""Carrying one claimed row one step on: decide, call, say what came of it.

A worker keeps nothing and writes nothing: it gives a :class:`Result`, which counts once the
engine has committed it. What comes of an error is decided in :mod:`stoker.engine.failures`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from uuid import uuid4

from stoker.engine import observing
from stoker.engine.columns import (
    ADOPT,
    REMOVE,
    as_it_was,
    at_rest,
    is_action,
    under_way,
    verb_of,
)
from stoker.engine.copying import told_of_source
from stoker.engine.doubt import Doubt, again
from stoker.engine.failures import Failures
from stoker.engine.hearing import Hearing
from stoker.engine.hooks import HOOKS, Holding
from stoker.engine.instants import Instant
from stoker.engine.job import KEPT, Job, Tools
from stoker.engine.notes import Notes
from stoker.engine.reasons import NoId, ResourceActionRestricted
from stoker.engine.retries import Retries
from stoker.errors import Bug, CloudError, CloudNotFound, Unsupported, UserError
from stoker.plan import acting
from stoker.plan.decide import Decision, Verb, decide, decide_external, needs_look
from stoker.plan.machine import Task, task
from stoker.sdk.copies import RESTORES
from stoker.sdk.fault import is_taken
from stoker.sdk.resource import Child, ChildGone, ChildState, Done, Next, Step, Wait
from stoker.store.goal import Moved, NewRow
from stoker.store.traversal import NOT_SUPPORTED
from stoker.store.work import EventRow, Result
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.children import Children
    from stoker.engine.instants import Listen
    from stoker.engine.lease import CallGuard
    from stoker.engine.settings import Settings
    from stoker.sdk.cloud import Cloud, Guard
    from stoker.sdk.resource import At
    from stoker.store.claims import Claim
    from stoker.store.software import ConfigRow

_KEEP = "keep"
_READ_AGAIN = 0.2


class CloudOf(Protocol):
    """Gives the cloud as the owner of a stack sees it."""

    def __call__(self, stack: Any, guard: Guard) -> Cloud: ...


class _NoCloud:
    """What a type gets that names no service."""

    def __getattr__(self, name: str) -> NoReturn:
        raise Bug(f"a resource type asks for {name} and does not say which service it needs")


NO_CLOUD: Any = _NoCloud()


class Worker:
    """Performs steps; one instance serves all threads."""

    def __init__(
        self, tools: Tools, children: Children, cloud_of: CloudOf, settings: Settings,
        listen: Listen, jitter: Callable[[], float],
    ) -> None:  # fmt: skip
        self._tools, self._children, self._cloud_of = tools, children, cloud_of
        self._listen = listen
        self._notes = Notes(tools.database)
        self._doubt = Doubt(tools, self._notes, settings)
        self._failures = Failures(tools, self._notes, settings, jitter)
        self._retries = Retries(self._notes, settings, jitter)
        self._holding = Holding(self._notes)
        self._hearing = Hearing(tools, self._notes, cloud_of, jitter)

    def perform(self, claim: Claim, guard: CallGuard) -> Result:
        """Return what came of the row's next step."""
        return self.carry(self.job(claim), guard)

    def job(self, claim: Claim) -> Job:
        """Return the claim as the worker sees it."""
        return Job(claim, self._tools)

    def carry(self, job: Job, guard: CallGuard) -> Result:
        """Return what came of the job's step."""
        try:
            return told_of_source(job, self._dispatch(job, guard))
        except (CloudError, UserError) as e:
            return told_of_source(job, self._failures.failed(job, verb_of(job.claim), e, guard))
        except Moved:  # what the claim was read with is old: it is claimed anew
            return Result(job.claim, seconds=_READ_AGAIN)

    def secrets(self, claim: Claim) -> frozenset[str]:
        """Return the hidden values of the claim's stack."""
        return self.job(claim).secrets

    def _dispatch(self, job: Job, guard: CallGuard) -> Result:
        if job.claim.at_rest:
            return self._hearing.at_rest(job, guard)
        heard = self._hearing.first(job, guard)
        if heard is not None:
            return heard
        return self._hearing.heeding(job, self._own_step(job, guard))

    def _own_step(self, job: Job, guard: CallGuard) -> Result:
        match task(job.work()):
            case Task.SKIP:
                return Result(job.claim, as_it_was(job.claim), ended="bad")
            case Task.NOTHING:
                return Result(job.claim, ended="good")
            case Task.LOOK:
                return self._doubt.look(job, self._cloud_of(job.stack, guard))
            case Task.DECIDE:
                return self._decide(job, guard)
            case Task.ACT:
                return self._act(job, guard)
            case Task.DELETE:
                return self._begin_delete(job, guard)
            case Task.GO_ON | Task.FINISH:
                return self._go_on(job, job.row.verb, guard)

    # forward

    def _decide(self, job: Job, guard: CallGuard) -> Result:
        held = self._holding.done(job) or self._holding.before(job, _coming(job))
        if held is not None:
            return held
        if job.definition["external_id"] is not None:
            return self._decide_external(job, guard)
        recorded = job.recorded()
        if needs_look(job.wanted_kind, job.definition["implementation"], recorded):
            recorded = replace(recorded, sound=self._is_sound(job, guard))
        if recorded.sound is not False and observing.is_due(job):
            recorded = observing.observed(job, recorded, self._cloud_of(job.stack, guard))
        decision = decide(job.wanted_kind, job.definition["implementation"], recorded, job.wanted)
        if decision.verb in job.definition.get("restricted", ()):
            restricted = ResourceActionRestricted(decision.verb)
            return self._failures.refused(job, "update", restricted)
        match decision.verb:
            case Verb.CREATE | Verb.FINISH:
                return self._begin(job, "create", decision, guard)
            case Verb.UPDATE:
                return self._begin(job, "update", decision, guard)
            case Verb.REPLACE:
                return self._replace(job, decision, gone=recorded.gone)
            case _:
                return self._keep(job)

    def _decide_external(self, job: Job, guard: CallGuard) -> Result:
        decision = decide_external(job.definition["implementation"], job.recorded())
        match decision.verb:
            case Verb.REPLACE:
                return self._replace(job, decision)
            case Verb.KEEP:
                return self._keep(job)
            case _:
                return self._take_in(job, guard)

    def _take_in(self, job: Job, guard: CallGuard) -> Result:
        """Record an object of others, and check that it is there."""
        kind, id = job.wanted_kind, job.definition["external_id"]
        nothing = self._notes.seal({})
        columns: dict[str, Any] = {
            "implementation": job.definition["implementation"],
            "type": job.definition["type"],
            "physical_id": id,
            "requires": job.requires,
            "sent": nothing,
            "applied": nothing,
            "metadata": self._notes.seal(job.metadata),
            "progress": None,
        }
        taken = tuple(
            self._notes.event(job, "adopt", status, physical_id=id)
            for status in ("IN_PROGRESS", "COMPLETE")
        )
        if not kind.supports(Action.CHECK):
            reason = f"{NOT_SUPPORTED}{job.row.type}"
            done = self._notes.event(job, Action.CHECK, "COMPLETE", physical_id=id, reason=reason)
            columns |= at_rest(Action.CHECK, "COMPLETE", reason)
            return Result(job.claim, columns, events=(*taken, done), ended="good")
        columns |= under_way(Action.CHECK, job.row.traversal_id)
        begun = self._notes.event(job, Action.CHECK, "IN_PROGRESS", physical_id=id)
        result = self._started(job, Action.CHECK, columns, begun, guard)
        return replace(result, events=(*taken, *result.events))

    def _is_sound(self, job: Job, guard: CallGuard) -> bool:
        """Tell whether what there is of a resource that has failed can be gone on with."""
        try:
            return job.made_kind.is_sound(job.at("check"), self._cloud_of(job.stack, guard))
        except CloudNotFound:
            return False

    def _keep(self, job: Job) -> Result:
        columns: dict[str, Any] = {
            "metadata": self._notes.seal(job.metadata),
            "requires": job.requires,
        }
        left = {name: each for name, each in job.progress.items() if name != HOOKS}
        if left != job.progress:
            columns["progress"] = self._notes.seal(left) if left else None
        if job.row.status != "COMPLETE":
            columns |= {"action": "UPDATE", "status": "COMPLETE", "status_reason": ""}
            columns |= {"verb": None, "progress": None}
        return Result(job.claim, columns, ended="good")

    def _replace(self, job: Job, decision: Decision, *, gone: bool = False) -> Result:
        """Hand on to another row; of one whose object is ``gone`` it stays known, lest a goal that
        takes over goes back to it."""
        new = NewRow(
            name=job.row.name,
            type=job.definition["type"],
            implementation=job.definition["implementation"],
            uuid=str(uuid4()),
            position=job.row.position,
            definition=job.row.definition,
            requires=tuple(job.requires),
        )
        columns = {"verb": None, "intent_at": None}
        if gone:
            columns |= at_rest(Action.CHECK, "FAILED", decision.reason)
        return Result(job.claim, columns, replacement=new, delete_first=decision.delete_first)

    def _begin(self, job: Job, verb: str, decision: Decision, guard: CallGuard) -> Result:
        changed, left = sorted(decision.changed), job.progress.get("data")
        progress: dict[str, Any] = {"changed": changed} if changed else {}
        if decision.verb is Verb.FINISH and left:
            progress["data"] = left
        if verb == "update" and job.progress.get(RESTORES):
            progress["data"] = {RESTORES: True}
        columns: dict[str, Any] = {
            "implementation": job.definition["implementation"],
            "type": job.definition["type"],
            "requires": job.requires,
            "sent": self._notes.seal(job.wanted),
            "metadata": self._notes.seal(job.metadata),
            "progress": self._notes.seal(progress) if progress else None,
            **under_way(verb, job.row.traversal_id),
        }
        halfway = verb == "update" and job.row.applied is None and not job.made_kind.has_child
        if halfway:  # what its create has sent is what there is
            columns["applied"] = job.row.sent
        event = self._notes.event(job, verb, "IN_PROGRESS", properties=True)
        result = self._started(job, verb, columns, event, guard)
        if halfway and left:
            return _with_data(result, self._notes.sealed_data({**job.stored, **left}))
        return result

    def _started(
        self, job: Job, verb: str, columns: dict[str, Any], event: EventRow, guard: CallGuard
    ) -> Result:
        """Commit the intent first; where no cloud is called there is none to commit."""
        kind = job.wanted_kind if verb in ("create", "update") else job.made_kind
        if kind.service is not None or kind.has_child:
            return Result(job.claim, columns, on=True, events=(event,))
        began = job.begun(columns)
        try:
            result = self._go_on(began, verb, guard)
        except (CloudError, UserError) as e:
            result = self._failures.failed(began, verb, e, guard)
        return replace(
            result, claim=job.claim,
            columns={**columns, **result.columns}, events=(event, *result.events),
        )  # fmt: skip

    # what is done to the whole stack

    def _act(self, job: Job, guard: CallGuard) -> Result:
        # The stack's, not the row's: that is another's where this one has superseded it.
        action = Action(job.stack.action.lower())
        if job.definition["external_id"] is not None and action is not Action.CHECK:
            return Result(job.claim, as_it_was(job.claim), ended="good")
        match acting.turn(action, job.recorded(), job.row.verb):
            case acting.Refused(reason, is_finding=True):
                return self._failures.found(job, action, Unsupported(reason))
            case acting.Refused(reason):
                return self._failures.refused(job, action, Unsupported(reason))
            case acting.Turn.BEGIN:
                return self._begin_action(job, action, guard)
            case acting.Turn.END_CHECK:
                reason = f"it gave way to {action.upper()}"
                event = self._notes.event(job, "check", "COMPLETE", reason=reason)
                columns = at_rest("check", "COMPLETE", reason)
                return Result(job.claim, columns, events=(event,), ended="good")
            case acting.Turn.NOTHING:
                return Result(job.claim, as_it_was(job.claim), ended="good")

    def _begin_action(self, job: Job, action: Action, guard: CallGuard) -> Result:
        kind = job.made_kind
        if action is Action.CHECK and not (kind.has_child or kind.supports(action)):
            reason = f"{NOT_SUPPORTED}{job.row.type}"
            event = self._notes.event(job, action, "COMPLETE", reason=reason)
            columns = at_rest(action, "COMPLETE", reason)
            return Result(job.claim, columns, events=(event,), ended="good")
        columns = {**self._notes.without_steps(job), **under_way(action, job.row.traversal_id)}
        event = self._notes.event(job, action, "IN_PROGRESS")
        return self._started(job, action, columns, event, guard)

    def _below(self, job: Job, verb: str) -> Result:
        """Do it to the child stack, and end when that has."""
        if job.row.child_traversal is None:
            return self._children.act(job, Action(verb))
        if self._children.state(job) is None:  # its end will wake this row
            return Result(job.claim)
        return self._done(job, verb, Done(), self._children.remark(job))

    # clean-up

    def _begin_delete(self, job: Job, guard: CallGuard) -> Result:
        if (held := self._holding.done(job, gone=True)) is not None:
            return held
        if not job.made and not job.in_doubt:
            return Result(job.claim, ended="good", gone=True)
        if (held := self._holding.before(job, "delete")) is not None:
            return held
        event = self._notes.event(job, "delete", "IN_PROGRESS")
        if job.definition["deletion_policy"] == "Retain" or job.definition["external_id"]:
            done = self._notes.event(job, "delete", "COMPLETE")
            return Result(job.claim, events=(event, done), ended="good", gone=True)
        kept_before = self._notes.seal({KEPT: True}) if KEPT in job.progress else None
        columns = {"progress": kept_before, **under_way("delete", job.row.traversal_id)}
        data = job.progress.get("data")
        kept = None if not data else self._notes.sealed_data({**job.stored, **data})
        result = self._started(job, "delete", columns, event, guard)
        return result if kept is None else _with_data(result, kept)

    # steps

    def _go_on(self, job: Job, verb: str, guard: CallGuard) -> Result:
        if is_action(verb) and job.made_kind.has_child:
            return self._below(job, verb)
        if job.is_keeping and (left := self._doubt.left(job)) > 0:
            return Result(job.claim, as_it_was(job.claim), seconds=again(left))
        if verb == ADOPT and job.sent is None:
            return self._begin_adopt(job, guard)
        child = None
        if job.row.child_traversal is not None:
            state = self._children.state(job)
            if state is None:  # its end will wake this row
                return Result(job.claim)
            if verb == "delete":
                return self._done(job, verb, Done())
            child = ChildState(job.row.physical_id, state)
        step = self._call(job, verb, child, guard)
        return self._came(job, verb, step)

    def _begin_adopt(self, job: Job, guard: CallGuard) -> Result:
        """Record what there is as just what is wanted, then look at it."""
        told = job.progress[ADOPT]
        if job.row.physical_id is None and not job.made_kind.has_child:
            raise NoId("Resource ID was not provided.")
        wanted, metadata = self._notes.seal(job.wanted), told.get("metadata") or job.metadata
        columns: dict[str, Any] = {
            "sent": wanted,
            "applied": wanted,
            "metadata": self._notes.seal(metadata),
            **under_way(ADOPT, job.row.traversal_id),
        }
        event = self._notes.event(job, ADOPT, "IN_PROGRESS", properties=True)
        return self._started(job, ADOPT, columns, event, guard)

    def _call(self, job: Job, verb: str, child: ChildState | None, guard: CallGuard) -> Step:
        kind, at = job.made_kind, job.at(verb, child)
        if is_action(verb) and not kind.supports(verb):
            return Done()
        cloud = NO_CLOUD if kind.service is None else self._cloud_of(job.stack, guard)
        self._listen(Instant.INTENT_COMMITTED, job.claim)
        perform: Callable[[At[Any], Cloud], Step]
        perform = getattr(kind, _asked(job, verb))
        try:
            step = perform(at, cloud)
        except CloudError as e:
            if at.id is None or not is_taken(e):
                raise
            # By our own call, perhaps, whose effect came after the look: a second one would see it.
            step = perform(at, cloud)
        self._listen(Instant.ANSWER_RECEIVED, job.claim)
        return step

    def _came(self, job: Job, verb: str, step: Step) -> Result:
        match step:
            case Next(id=made, data=data):
                columns: dict[str, Any] = {
                    "progress": self._notes.progress(job, data),
                    "intent_at": None,  # going on sets the next one
                }
                if made is not None:
                    columns["physical_id"] = made
                return Result(job.claim, columns, on=True)
            case Wait(seconds=seconds, data=data, id=made):
                columns = {"intent_at": None, "attempt": 0}
                if data is not None:
                    columns["progress"] = self._notes.progress(job, data)
                if made is not None:
                    columns["physical_id"] = made
                read = job.listening.read
                return Result(job.claim, columns, seconds=seconds, listened=read)
            case Child() | ChildGone():
                return self._begin_child(job, step)
            case Done() if _asked(job, verb) == _KEEP:
                columns = {"progress": self._notes.seal({KEPT: True}), "intent_at": None}
                return Result(job.claim, columns, on=True)
            case Done():
                return self._done(job, verb, step)

    def _begin_child(self, job: Job, step: Child | ChildGone) -> Result:
        began = self._children.begin(job, step)
        if isinstance(step, ChildGone) or step.data is None:
            return began
        progress = self._notes.progress(job, step.data)
        return replace(began, columns={**began.columns, "progress": progress})

    def _done(self, job: Job, verb: str, done: Done, remark: str | None = None) -> Result:
        if verb == REMOVE:
            return self._retries.removed(job)
        reason = remark or "state changed"
        event = self._notes.event(job, verb, "COMPLETE", physical_id=done.id, reason=reason)
        columns = at_rest(verb, "COMPLETE", reason)
        if verb == "delete":
            columns |= {"physical_id": None, "applied": None}
            gone = Result(
                job.claim, columns, events=(event,), ended="good", gone=True,
                silenced=_silenced(job, done), unkept=_unkept(job),
            )  # fmt: skip
            return self._holding.after(job, verb, gone)
        columns |= self._gained(job, verb, done)
        is_kept = not done.data and (is_action(verb) or verb == ADOPT or not job.stored)
        ours = job.work().ours
        result = Result(
            job.claim, columns, events=(event,),
            data=None if is_kept else self._notes.sealed_data(done.data),
            ended="good" if ours else None, on=not ours, config=self._config(job, done),
        )  # fmt: skip
        return self._holding.after(job, verb, result)

    def _config(self, job: Job, done: Done) -> ConfigRow | None:
        if done.config is None or done.id is None:
            return None
        return self._notes.config(job, done.id, done.config)

    def _gained(self, job: Job, verb: str, done: Done) -> dict[str, Any]:
        """Return the columns that tell what there is now; an action leaves the goal's alone."""
        if is_action(verb):
            columns = self._notes.without_steps(job)
        else:
            columns = {"applied": job.row.sent, "progress": None}
        if done.attributes or not is_action(verb):
            columns["attributes"] = self._notes.seal(done.attributes)
        if done.id is not None:
            columns["physical_id"] = done.id
        return columns


def _asked(job: Job, verb: str) -> str:
    """Return which of the type's verbs the next step is of."""
    if verb == REMOVE:
        return "delete"
    if verb == ADOPT and job.made_kind.has_child:
        return "create"
    return _KEEP if verb == "delete" and job.is_keeping else verb


def _silenced(job: Job, done: Done) -> tuple[int, ...]:
    row_id = None if done.silenced is None else job.listening.row_of(done.silenced)
    return () if row_id is None else (row_id,)


def _unkept(job: Job) -> str | None:
    """Return the id of the software config that goes with the resource, if it keeps one."""
    return job.row.physical_id if job.made_kind.keeps_config else None


def _coming(job: Job) -> str:
    return "update" if job.made else "create"


def _with_data(result: Result, data: dict[str, bytes]) -> Result:
    return result if result.gone else replace(result, data=data)
