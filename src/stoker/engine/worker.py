"""Carrying one claimed row one step on: decide, call, say what came of it.

A worker keeps nothing and writes nothing: it gives a :class:`Result`, which counts once the
engine has committed it. Where an error says nothing sure about what a call did, the intent
stays, and the next worker looks before it calls again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from uuid import uuid4

from stoker.engine import reasons
from stoker.engine.columns import (
    SETTLED,
    as_it_was,
    at_rest,
    at_rest_in_doubt,
    is_action,
    is_unbegun,
    under_way,
    verb_of,
)
from stoker.engine.instants import Instant
from stoker.engine.job import ACTED, Job, Tools, data_key
from stoker.engine.secrets import masked
from stoker.errors import Bug, CloudError, Unsupported, UserError
from stoker.plan import acting
from stoker.plan.decide import Decision, Verb, decide
from stoker.plan.machine import PASSING, Again, Task, after_fault, task
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Child, ChildGone, ChildState, Done, Next, Step, Wait
from stoker.store import queries
from stoker.store.goal import Moved, NewRow
from stoker.store.traversal import NOT_SUPPORTED
from stoker.store.work import EventRow, Result
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.engine.children import Children
    from stoker.engine.instants import Listen
    from stoker.engine.lease import CallGuard
    from stoker.engine.settings import Settings
    from stoker.errors import StokerError
    from stoker.sdk.cloud import Cloud, Guard
    from stoker.sdk.resource import At
    from stoker.store.work import Claim

_REPEATABLE = frozenset({500, 503})
"""Answers after which the service is through with the request: one look is enough."""

_SERVER_ERROR = 500
_NEVER_DONE = frozenset({501, 505})
_LOOK_AGAIN = 1.0
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
        self._settings, self._listen, self._jitter = settings, listen, jitter

    def perform(self, claim: Claim, guard: CallGuard) -> Result:
        """Return what came of the row's next step."""
        job = Job(claim, self._tools)
        try:
            return self._dispatch(job, guard)
        except (CloudError, UserError) as e:
            return self._failed(job, verb_of(claim), e, guard)
        except Moved:  # what the claim was read with is old: it is claimed anew
            return Result(claim, seconds=_READ_AGAIN)

    def secrets(self, claim: Claim) -> frozenset[str]:
        """Return the hidden values of the claim's stack."""
        return Job(claim, self._tools).secrets

    def _dispatch(self, job: Job, guard: CallGuard) -> Result:
        match task(job.work()):
            case Task.SKIP:
                return Result(job.claim, as_it_was(job.claim), ended="bad")
            case Task.NOTHING:
                return Result(job.claim, ended="good")
            case Task.LOOK:
                return self._look(job, guard)
            case Task.DECIDE:
                return self._decide(job, guard)
            case Task.ACT:
                return self._act(job, guard)
            case Task.DELETE:
                return self._begin_delete(job, guard)
            case Task.GO_ON | Task.FINISH:
                return self._go_on(job, job.row.verb, guard)

    # what a lost answer has made

    def _look(self, job: Job, guard: CallGuard) -> Result:
        found = job.made_kind.find(job.at("create"), self._cloud_of(job.stack, guard))
        if found is not None:
            columns = {
                "physical_id": found.id,
                "progress": self._progress(job, found.data),
                "intent_at": None,
            }
            return Result(job.claim, columns, on=True)
        now = self._tools.database.now()
        left = job.row.intent_at + self._settings.in_doubt_seconds - now
        if left > 0:  # the call may still have its effect
            return Result(job.claim, seconds=min(_LOOK_AGAIN, left))
        if job.claim.forward:
            return Result(job.claim, on=True)
        return Result(job.claim, {"verb": None, "intent_at": None}, on=True)

    # forward

    def _decide(self, job: Job, guard: CallGuard) -> Result:
        decision = decide(
            job.wanted_kind, job.definition["implementation"], job.recorded(), job.wanted
        )
        match decision.verb:
            case Verb.CREATE:
                return self._begin(job, "create", decision, guard)
            case Verb.UPDATE:
                return self._begin(job, "update", decision, guard)
            case Verb.REPLACE:
                return self._replace(job, decision)
            case _:
                return self._keep(job)

    def _keep(self, job: Job) -> Result:
        columns: dict[str, Any] = {"metadata": self._seal(job.metadata)}
        if job.row.status != "COMPLETE":
            columns |= {"action": "UPDATE", "status": "COMPLETE", "status_reason": ""}
            columns |= {"verb": None, "progress": None}
        return Result(job.claim, columns, ended="good")

    def _replace(self, job: Job, decision: Decision) -> Result:
        new = NewRow(
            name=job.row.name,
            type=job.definition["type"],
            implementation=job.definition["implementation"],
            uuid=str(uuid4()),
            position=job.row.position,
            definition=job.row.definition,
            requires=tuple(job.row.requires),
        )
        columns = {"verb": None, "intent_at": None}
        return Result(job.claim, columns, replacement=new, delete_first=decision.delete_first)

    def _begin(self, job: Job, verb: str, decision: Decision, guard: CallGuard) -> Result:
        changed = sorted(decision.changed)
        columns = {
            "implementation": job.definition["implementation"],
            "type": job.definition["type"],
            "sent": self._seal(job.wanted),
            "metadata": self._seal(job.metadata),
            "progress": self._seal({"changed": changed}) if changed else None,
            **under_way(verb, job.row.traversal_id),
        }
        event = self._event(job, verb, "IN_PROGRESS", properties=True)
        return self._started(job, verb, columns, event, guard)

    def _started(
        self, job: Job, verb: str, columns: dict[str, Any], event: EventRow, guard: CallGuard
    ) -> Result:
        """Commit the intent first; where no cloud is called there is none to commit."""
        kind = job.wanted_kind if verb in ("create", "update") else job.made_kind
        if kind.service is not None or kind.has_child:
            return Result(job.claim, columns, on=True, events=(event,))
        began = Job(_with(job.claim, columns), self._tools)
        try:
            result = self._go_on(began, verb, guard)
        except (CloudError, UserError) as e:
            result = self._failed(began, verb, e, guard)
        return _after(result, columns, event)

    # what is done to the whole stack

    def _act(self, job: Job, guard: CallGuard) -> Result:
        action = Action(verb_of(job.claim))
        match acting.turn(action, job.recorded()):
            case acting.Refused(reason):
                return self._refused(job, action, Unsupported(reason))
            case acting.Turn.BEGIN:
                return self._begin_action(job, action, guard)
            case _:
                return Result(job.claim, as_it_was(job.claim), ended="good")

    def _begin_action(self, job: Job, action: Action, guard: CallGuard) -> Result:
        kind = job.made_kind
        if action is Action.CHECK and not (kind.has_child or kind.supports(action)):
            reason = f"{NOT_SUPPORTED}{job.row.type}"
            event = self._event(job, action, "COMPLETE", reason=reason)
            columns = at_rest(action, "COMPLETE", reason)
            return Result(job.claim, columns, events=(event,), ended="good")
        columns = {**self._without_steps(job), **under_way(action, job.row.traversal_id)}
        event = self._event(job, action, "IN_PROGRESS")
        return self._started(job, action, columns, event, guard)

    def _refused(self, job: Job, verb: str, error: StokerError) -> Result:
        """Return the failure of an action that has not begun: its row stays as it is."""
        reason = masked(reasons.of_resource(job.row.name, error), job.secrets)
        return Result(
            job.claim, as_it_was(job.claim), ended="bad",
            events=(self._event(job, verb, "FAILED", reason=reason),),
            **reasons.told(verb, reason),
        )  # fmt: skip

    def _below(self, job: Job, verb: str) -> Result:
        """Do it to the child stack, and end when that has."""
        if job.row.child_traversal is None:
            return self._children.act(job, Action(verb))
        if self._children.state(job) is None:  # its end will wake this row
            return Result(job.claim)
        return self._done(job, verb, Done(), self._children.remark(job))

    # clean-up

    def _begin_delete(self, job: Job, guard: CallGuard) -> Result:
        if not job.made and not job.in_doubt:
            return Result(job.claim, ended="good", gone=True)
        event = self._event(job, "delete", "IN_PROGRESS")
        if job.definition["deletion_policy"] == "Retain" or job.definition["external_id"]:
            done = self._event(job, "delete", "COMPLETE")
            return Result(job.claim, events=(event, done), ended="good", gone=True)
        columns = {"progress": None, **under_way("delete", job.row.traversal_id)}
        data = job.progress.get("data")
        kept = None if not data else self._sealed_data({**job.stored, **data})
        result = self._started(job, "delete", columns, event, guard)
        return result if kept is None else _with_data(result, kept)

    # steps

    def _go_on(self, job: Job, verb: str, guard: CallGuard) -> Result:
        if is_action(verb) and job.made_kind.has_child:
            return self._below(job, verb)
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

    def _call(self, job: Job, verb: str, child: ChildState | None, guard: CallGuard) -> Step:
        kind, at = job.made_kind, job.at(verb, child)
        if is_action(verb) and not kind.supports(verb):
            return Done()
        cloud = NO_CLOUD if kind.service is None else self._cloud_of(job.stack, guard)
        self._listen(Instant.INTENT_COMMITTED, job.claim)
        perform: Callable[[At[Any], Cloud], Step] = getattr(kind, verb)
        step = perform(at, cloud)
        self._listen(Instant.ANSWER_RECEIVED, job.claim)
        return step

    def _came(self, job: Job, verb: str, step: Step) -> Result:
        match step:
            case Next(id=made, data=data):
                columns: dict[str, Any] = {
                    "progress": self._progress(job, data),
                    "intent_at": None,  # going on sets the next one
                }
                if made is not None:
                    columns["physical_id"] = made
                return Result(job.claim, columns, on=True)
            case Wait(seconds=seconds, data=data, id=made):
                columns = {"intent_at": None, "attempt": 0}
                if data is not None:
                    columns["progress"] = self._progress(job, data)
                if made is not None:
                    columns["physical_id"] = made
                return Result(job.claim, columns, seconds=seconds)
            case Child() | ChildGone():
                return self._children.begin(job, step)
            case Done():
                return self._done(job, verb, step)

    def _done(self, job: Job, verb: str, done: Done, remark: str | None = None) -> Result:
        reason = remark or "state changed"
        event = self._event(job, verb, "COMPLETE", physical_id=done.id, reason=reason)
        columns = at_rest(verb, "COMPLETE", reason)
        if verb == "delete":
            columns |= {"physical_id": None, "applied": None}
            return Result(job.claim, columns, events=(event,), ended="good", gone=True)
        columns |= self._gained(job, verb, done)
        is_kept = not done.data and (is_action(verb) or not job.stored)
        ours = job.work().ours
        return Result(
            job.claim, columns, events=(event,),
            data=None if is_kept else self._sealed_data(done.data),
            ended="good" if ours else None, on=not ours,
        )  # fmt: skip

    def _gained(self, job: Job, verb: str, done: Done) -> dict[str, Any]:
        """Return the columns that tell what there is now; an action leaves the goal's alone."""
        if is_action(verb):
            columns = self._without_steps(job)
        else:
            columns = {"applied": job.row.sent, "progress": None}
        if done.attributes or not is_action(verb):
            columns["attributes"] = self._seal(done.attributes)
        if done.id is not None:
            columns["physical_id"] = done.id
        return columns

    # failures

    def _failed(
        self, job: Job, verb: str, error: CloudError | UserError, guard: CallGuard
    ) -> Result:
        intent = self._intent(job, error, guard)
        sort = self._sort(job, error)
        if isinstance(error, CloudError):
            again = after_fault(sort, job.row.attempt, self._jitter(), error.retry_after)
            if isinstance(again, Again):
                return self._again(job, again, intent)
        if is_unbegun(job.claim):
            return self._refused(job, verb, error)
        reason = masked(reasons.of_resource(job.row.name, error), job.secrets)
        sure = intent == SETTLED and not (verb == Action.CHECK and sort in PASSING)
        event = self._event(job, verb, "FAILED", reason=reason)
        columns = {**self._fallen(job, verb, reason, sure=sure), **intent}
        if sure and not job.work().ours and job.row.verb is not None and job.claim.forward:
            return Result(job.claim, columns, events=(event,), on=True)  # now to this goal
        return Result(
            job.claim, columns, events=(event,), ended="bad", **reasons.told(verb, reason)
        )

    def _fallen(self, job: Job, verb: str, reason: str, *, sure: bool) -> dict[str, Any]:
        """Return the columns of a verb that has failed; ``sure``: and is over."""
        columns = (at_rest if sure else at_rest_in_doubt)(verb, "FAILED", reason)
        return {**columns, **self._without_steps(job)} if is_action(verb) else columns

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
        if job.row.verb != "create" or job.row.physical_id is not None:
            return SETTLED
        if job.in_doubt:
            return {}
        if not guard.passed:
            return SETTLED
        if error is not guard.error or not isinstance(error, CloudError):
            return {}
        if not error.sent or (error.status or _SERVER_ERROR) < _SERVER_ERROR:
            return SETTLED
        if error.status in _REPEATABLE | _NEVER_DONE:
            return {"intent_at": self._tools.database.now() - self._settings.in_doubt_seconds}
        return {}

    # parts

    def _event(
        self, job: Job, verb: str, status: str, *, reason: str = "state changed",
        physical_id: str | None = None, properties: bool = False,
    ) -> EventRow:  # fmt: skip
        if properties:
            sealed = self._seal(job.shown(job.wanted))
        elif job.sent is not None and (job.secrets or job.definition["hidden"]):
            sealed = self._seal(job.shown(job.sent))
        else:
            sealed = job.row.sent
        # Clients find the parent of a nested stack by the name told when it began.
        id = physical_id or job.row.physical_id or job.name
        return EventRow(verb.upper(), status, reason, id, sealed)

    def _progress(self, job: Job, data: Mapping[str, Any]) -> bytes:
        return self._seal({**job.progress, data_key(job.row.verb): dict(data)})

    def _without_steps(self, job: Job) -> dict[str, Any]:
        """Return the column that forgets an action's steps, and only these, if there are any."""
        if ACTED not in job.progress:
            return {}
        left = {key: value for key, value in job.progress.items() if key != ACTED}
        return {"progress": self._seal(left) if left else None}

    def _sealed_data(self, data: Mapping[str, Any]) -> dict[str, bytes]:
        return {key: self._seal(value) for key, value in data.items()}

    def _seal(self, value: Any) -> bytes:
        return self._tools.database.sealer.seal(value)


class _Row:
    """A row with columns that are about to be written."""

    def __init__(self, row: Any, columns: Mapping[str, Any]) -> None:
        self._row, self._columns = row, columns

    def __getattr__(self, name: str) -> Any:
        return self._columns[name] if name in self._columns else getattr(self._row, name)


def _with(claim: Claim, columns: Mapping[str, Any]) -> Claim:
    return replace(claim, row=_Row(claim.row, columns))


def _after(result: Result, columns: Mapping[str, Any], event: EventRow) -> Result:
    return replace(result, columns={**columns, **result.columns}, events=(event, *result.events))


def _with_data(result: Result, data: dict[str, bytes]) -> Result:
    return result if result.gone else replace(result, data=data)
