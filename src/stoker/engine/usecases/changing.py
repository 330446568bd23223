"""The use cases that change stacks: create, update, delete, cancel, check, suspend, resume.

A request is checked whole before anything is stored; then one commit is the operation. Where
what it was planned from has moved, it is planned again; a request that keeps losing is told.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.adopting import Adopting
from stoker.engine.foresight import has_choices, warnings, warnings_alone
from stoker.engine.operations import Operations
from stoker.engine.secrets import masked
from stoker.engine.usecases import documents, validating
from stoker.engine.usecases.lingering import Lingering
from stoker.engine.usecases.lookup import checked
from stoker.engine.usecases.previewing import NO_ID, Previewing
from stoker.engine.usecases.trying import until_unmoved
from stoker.engine.usecases.validated import Remembered, Validated
from stoker.errors import (
    Code,
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    LimitExceeded,
    NotFound,
    Problem,
    Unsupported,
)
from stoker.lang import template as templates
from stoker.lang.stack import instantiate
from stoker.plan.acting import Answer, answer, refusal
from stoker.sdk.cloud import ELSEWHERE
from stoker.sdk.resource import StackInfo
from stoker.store import queries, stacks, traversal
from stoker.store.beginning import begin
from stoker.store.credentials import renew
from stoker.store.locks import hold
from stoker.usecases.stacks import StackRef

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from stoker.engine.credentials import Credentials
    from stoker.engine.goals import Documents, Prepared
    from stoker.engine.settings import Settings
    from stoker.sdk.cloud import Lookup
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.goal import Operation
    from stoker.store.stacks import Connection
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import (
        Action,
        CreatePreview,
        CreateStack,
        Goal,
        Json,
        UpdatePreview,
        UpdateStack,
    )

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]{0,254}")
_UNCHANGEABLE = {"SUSPEND": "suspended", "DELETE": "being deleted"}


class Changing:
    """Accepts operations on stacks; ``wake`` tells the engine that there is work.

    ``may_use(caller, type)`` says whether the caller's templates may hold the type.
    """

    def __init__(
        self,
        database: Database,
        types: Types,
        credentials: Credentials,
        settings: Settings,
        wake: Callable[[], None],
        may_use: Callable[[Caller, str], bool],
    ) -> None:
        self._database, self._settings, self._wake = database, settings, wake
        self._credentials, self._may_use = credentials, may_use
        self._types, self._lingering = types, Lingering(database, settings.linger_seconds)
        self._operations = Operations(database, types, settings)
        self._remembered = Remembered()
        self._previewing = Previewing(self._operations, types, settings)

    def create(self, caller: Caller, what: CreateStack) -> StackRef:
        """Accept a new stack and return it; raises Invalid, Conflict, LimitExceeded."""
        if what.adopted is not None and not self._settings.enable_stack_adopt:
            raise Unsupported("Stack Adopt is not supported.")
        if what.adopted is not None:
            Adopting.check(what.adopted)
        stack_id = what.id or str(uuid4())
        ref = StackRef(stack_id, what.name, caller.project_id)
        prepared = self._creation(caller, what, stack_id)
        tags = what.tags or tuple((what.adopted or {}).get("tags") or ())
        prepared = _kept_with(prepared, tags, what.timeout_mins or None)
        columns = {
            "id": stack_id,
            "name": what.name,
            "taken_name": f"{caller.project_id}/{what.name}",
            "project_id": caller.project_id,
            "user_id": caller.user_id,
            "username": caller.user_name,
            "timeout_mins": what.timeout_mins or None,
            "disable_rollback": what.disable_rollback,
            "request_id": caller.request_id,
        }
        seconds = self._operations.seconds(what.timeout_mins)
        operation = self._operations.create(prepared, columns, seconds=seconds, parent=None)
        operation = replace(operation, tags=tags)
        if what.adopted is not None:
            adopting = Adopting(self._database, self._types)
            operation = adopting.adopted(operation, what.adopted)
        try:
            self._begin_new(caller, operation, prepared)
        except Conflict:
            return self._same_request(caller, what.name)
        return ref

    def update(self, caller: Caller, stack: StackRef, what: UpdateStack) -> None:
        """Accept a new goal for a stack; raises Invalid, Unsupported, Conflict."""
        until_unmoved(lambda: self._update(caller, stack, what))

    def delete(self, caller: Caller, stack: StackRef) -> None:
        """Accept the deletion of a stack; one that is under way goes on."""
        until_unmoved(lambda: self._delete(caller, stack))

    def cancel(self, caller: Caller, stack: StackRef) -> None:
        """End a create or update where it stands, without a way back; raises Unsupported."""
        there = self._stack(caller, stack)
        now = self._database.now()
        state = self._database.again(partial(traversal.cancel, stack_id=there.id, now=now))
        if state is not None:
            raise _not_cancelled(state)
        self._wake()  # a parent may have waited for it

    def undo(self, caller: Caller, stack: StackRef) -> None:
        """Give up an update under way and go back to the goal before; raises Unsupported."""
        until_unmoved(lambda: self._undo(caller, stack))

    def act(self, caller: Caller, stack: StackRef, action: Action) -> None:
        """Accept that something is done to a stack as it is; raises Unsupported, Conflict."""
        until_unmoved(lambda: self._act(caller, stack, action))

    def preview_create(self, caller: Caller, what: CreateStack) -> CreatePreview:
        """Return what ``create`` would make; nothing is written."""
        prepared = self._creation(caller, what, NO_ID)
        with self._database.read() as connection:
            if queries.stack_named(connection, caller.project_id, what.name) is not None:
                raise _taken(what.name)
        return self._previewing.create(caller, what, prepared)

    def preview_update(
        self, caller: Caller, stack: StackRef, what: UpdateStack, *, show_nested: bool = False
    ) -> UpdatePreview:
        """Return what ``update`` would do; nothing is written."""

        def look() -> UpdatePreview:
            there, prepared = self._aim(caller, stack, what)
            return self._previewing.update(
                there, prepared, show_nested=show_nested, observes=self._observes(what)
            )

        return until_unmoved(look)

    def validate(self, caller: Caller, goal: Goal, *, show_nested: bool = False) -> Json:
        """Return the description of a template's parameters; raises Invalid.

        Asked for the nested ones too, it describes them also where they are misused.
        """
        work = partial(self._validated, caller.project_id, goal, nested=show_nested)
        found = work() if show_nested else self._remembered.get(goal, caller.project_id, work)
        self._look_up(caller, found)
        return dict(found.answer)

    def _validated(self, project_id: str, goal: Goal, *, nested: bool) -> Validated:
        whole = self._operations.preparation
        preparation = whole.describing() if nested else whole
        info = StackInfo("None", "None", project_id)
        wanted = documents.requested(goal)
        try:
            answer, prepared = validating.described(preparation, wanted, info)
        except Invalid as error:
            raise self._warned(error, wanted, info) from error
        beside = chain(warnings(prepared, self._types, preparation, info), documents.warnings(goal))
        if told := [each.told() for each in beside]:
            answer |= {"problems": told}
        if nested and (found := validating.nested(preparation, prepared, project_id)):
            answer |= {"NestedParameters": found, "Environment": answer.pop("Environment")}
        return Validated(answer, tuple(prepared.lookups), frozenset(prepared.secrets))

    # one try of each

    def _update(self, caller: Caller, ref: StackRef, what: UpdateStack) -> None:
        stack, prepared = self._aim(caller, ref, what)
        minutes = stack.timeout_mins if what.timeout_mins is None else what.timeout_mins or None
        columns: dict[str, Any] = {"timeout_mins": minutes}
        if what.disable_rollback is not None:
            columns["disable_rollback"] = what.disable_rollback
        seconds = self._operations.seconds(minutes)
        tags = what.tags
        if tags is None:
            tags = self._tags(stack) if what.existing else ()
        observes = self._observes(what)
        prepared = _kept_with(prepared, tags, minutes, observe=observes)
        undoable = not columns.get("disable_rollback", stack.disable_rollback)
        operation = self._operations.update(
            stack, prepared, columns, seconds=seconds, undoable=undoable, observes=observes
        )
        operation = replace(operation, tags=tags)
        self._begin_as(caller, stack, operation, needed=prepared.needs_cloud)

    def _observes(self, what: UpdateStack) -> bool:
        return what.observe or self._settings.observe_on_update

    def _delete(self, caller: Caller, ref: StackRef) -> None:
        stack = self._stack(caller, ref)
        if (stack.action, stack.status) == ("DELETE", "IN_PROGRESS"):
            return
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        seconds = self._operations.seconds(stack.timeout_mins)
        operation = self._operations.delete(stack, seconds=seconds)
        self._begin_as(caller, stack, operation, as_it_is=True)

    def _undo(self, caller: Caller, ref: StackRef) -> None:
        stack = self._stack(caller, ref)
        if (stack.action, stack.status) != ("UPDATE", "IN_PROGRESS"):
            raise _not_cancelled(f"{stack.action}_{stack.status}")
        if stack.complete_template_id is None:
            raise Unsupported(
                "The stack was never complete, so there is nothing to go back to;"
                " cancel_without_rollback ends its update where it stands."
            )
        operation = self._operations.roll_back(stack, "Stack UPDATE cancelled")
        self._begin_opened(caller, stack, operation)

    def _act(self, caller: Caller, ref: StackRef, action: Action) -> None:
        stack = self._stack(caller, ref)
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        self._check_types(caller, {row.row.type for row in self._operations.rows(stack.id)})
        if stack.rollback_due is not None:
            raise busy(stack, "ROLLBACK")
        match answer(action, stack.action, stack.status):
            case Answer.REFUSED:
                raise Unsupported(refusal(action, stack.action))
            case Answer.BUSY:
                raise busy(stack, stack.action)
            case Answer.GO:
                seconds = self._operations.seconds(stack.timeout_mins)
                operation = self._operations.act(stack, action, seconds=seconds)
                self._begin_opened(caller, stack, operation)
            case Answer.DONE:
                pass

    # writing

    def _begin(self, operation: Operation, *, lingers: bool = False) -> None:
        now = self._database.now()
        self._database.again(partial(begin, op=operation, now=now))
        self._wake()
        if lingers:
            self._lingering.until_over(operation.stack_id)

    def _begin_new(self, caller: Caller, operation: Operation, prepared: Prepared) -> None:
        if not prepared.needs_cloud:
            self._begin(operation, lingers=True)
            return
        with self._credentials.delegated(caller) as creds_id:
            stack = {**operation.stack, "user_creds_id": creds_id}
            self._begin(replace(operation, stack=stack))

    def _begin_as(
        self,
        caller: Caller,
        stack: Any,
        operation: Operation,
        *,
        needed: bool = False,
        as_it_is: bool = False,
    ) -> None:
        """Begin it, with credentials of the caller where those that the stack has do not serve."""
        held = stack.user_creds_id
        if held is None and not needed:
            self._begin(operation, lingers=True)
            return
        if held is not None and self._credentials.serves(held, caller, as_it_is=as_it_is):
            self._begin(operation)
            return
        self._write_as(caller, stack, partial(begin, op=operation, now=self._database.now()))
        self._wake()

    def _begin_opened(self, caller: Caller, stack: Any, operation: Operation) -> None:
        """Begin what goes on with the credentials that the stack has, if they are not lost."""
        write = partial(begin, op=operation, now=self._database.now())
        self._write_opened(caller, stack, write)
        self._wake()
        if stack.user_creds_id is None:
            self._lingering.until_over(stack.id)

    def _write_opened(
        self, caller: Caller, stack: Any, write: Callable[[Connection], None]
    ) -> None:
        """Write that something is to be done in clouds, which credentials that are lost do not
        open: the caller's come in their place, and those of another user stay otherwise."""
        held = stack.user_creds_id
        if held is not None and self._credentials.is_lost(held, caller):
            self._write_as(caller, stack, write)
        else:
            self._database.again(write)

    def _write_as(self, caller: Caller, stack: Any, write: Callable[[Connection], None]) -> None:
        """Write, and let the whole tree have credentials of the caller from then on."""
        with self._credentials.delegated(caller) as creds_id:
            now = self._database.now()

            def whole(connection: Connection) -> None:
                hold(connection, {stack.root_id, stack.id}, ending=[stack.id])
                write(connection)
                renew(connection, stack.root_id, creds_id, stack.user_creds_id, now)

            self._database.again(whole)

    def _same_request(self, caller: Caller, name: str) -> StackRef:
        """Return the stack that this very request has made before; raises Conflict."""
        with self._database.read() as connection:
            row = queries.stack_named(connection, caller.project_id, name)
        if row is not None and caller.request_id and row.request_id == caller.request_id:
            return StackRef(row.id, row.name, row.project_id)
        raise _taken(name)

    # checking

    def _stack(self, caller: Caller, ref: StackRef) -> Any:
        """Return the row of the caller's stack, also of one that is gone; raises NotFound."""
        with self._database.read() as connection:
            row = queries.stack(connection, ref.id)
        return checked(row, caller, ref, deleted=True)

    def _tags(self, stack: Any) -> tuple[str, ...]:
        with self._database.read() as connection:
            return stacks.tags(connection, [stack.id]).get(stack.id, ())

    def _creation(self, caller: Caller, what: CreateStack, stack_id: str) -> Prepared:
        """Return what is to be created, checked."""
        _check_name(what.name)
        self._check_limit(caller)
        info = StackInfo(stack_id, what.name, caller.project_id)
        return self._prepare(caller, documents.created(what), info)

    def _aim(self, caller: Caller, ref: StackRef, what: UpdateStack) -> tuple[Any, Prepared]:
        """Return the stack's row and what it is to become, checked."""
        stack = self._stack(caller, ref)
        if (stack.action, stack.status) == ("SNAPSHOT", "IN_PROGRESS"):
            raise busy(stack, "SNAPSHOT")
        if stack.action in _UNCHANGEABLE:
            state = _UNCHANGEABLE[stack.action]
            raise Unsupported(f"Updating a stack when it is {state} is not supported.")
        is_old = what.expected is not None and what.expected != self._previewing.version(stack)
        if is_old:
            raise Conflict("The stack has changed since the preview that this update goes by.")
        before = self._operations.documents(stack)
        wanted = documents.updated(before, what)
        info = StackInfo(stack.id, stack.name, stack.project_id)
        previous = _previous(before, info)
        return stack, self._prepare(caller, wanted, info, previous=previous)

    def _prepare(
        self,
        caller: Caller,
        wanted: Documents,
        info: StackInfo,
        previous: Mapping[str, Any] | None = None,
    ) -> Prepared:
        prepare = self._operations.preparation.prepare
        try:
            prepared = prepare(wanted, info, previous=previous)
            if prepared.lacks_zones():
                zones = self._credentials.cloud_for(caller).compute.zones()
                there = replace(prepared.documents, zones=zones)
                prepared = prepare(there, info, previous=previous)
        except Invalid as error:
            self._check_types(caller, _unknown(wanted, error))
            raise self._warned(error, wanted, info) from error
        self._check_types(caller, prepared.types)
        self._look_up(caller, prepared)
        return prepared

    def _warned(self, error: Invalid, wanted: Documents, info: StackInfo) -> Invalid:
        """Return the refusal with what would be wrong with other parameters."""
        if not has_choices(wanted.template):
            return error
        try:
            goal, _ = self._operations.preparation.assess(wanted, info, strict=False)
        except (Invalid, LimitExceeded):
            return error
        told = {each.at for each in error.problems}
        found = [e for e in warnings_alone(goal, self._types) if e.at not in told]
        return Invalid(error.problems, found)

    def _look_up(self, caller: Caller, prepared: Prepared | Validated) -> None:
        lookups = [each for each in dict.fromkeys(prepared.lookups) if _is_asked(caller, each)]
        if not lookups:
            return
        missing = self._credentials.constraints(caller).missing(lookups)
        if missing:
            secrets = prepared.secrets
            raise Invalid(
                [
                    Problem(masked(text, secrets), look.at, look.place, code=_code(look))
                    for look, text in missing.items()
                ]
            )

    def _check_types(self, caller: Caller, types: Collection[str]) -> None:
        for each in sorted(types):
            if not self._may_use(caller, each):
                raise Forbidden(f"You are not authorized to use resource type {each}.")

    def _check_limit(self, caller: Caller) -> None:
        most = self._settings.max_stacks_per_tenant
        if caller.is_admin or most < 0:
            return
        with self._database.read() as connection:
            there = queries.root_stacks(connection, caller.project_id)
        if there >= most:
            raise LimitExceeded(f"You have reached the maximum stacks per project, {most}.")


def _previous(before: Documents, info: StackInfo) -> Mapping[str, Any] | None:
    """Return the parameters that a stack has, where there are some that must stay."""
    template = templates.read(before.template)
    if not any(p.immutable for p in template.parameters.values()):
        return None
    return instantiate(template, documents.inputs(before, info)).parameters


def _unknown(wanted: Documents, error: Invalid) -> set[str]:
    """Return the types of the template that there are not: some may be closed all the same."""
    named = {each.at[1] for each in error.problems if each.kind is Kind.TYPE and len(each.at) > 1}
    if not named:
        return set()
    resources = templates.read(wanted.template).resources
    return {each.type for name, each in resources.items() if name in named}


def busy(stack: Any, doing: str) -> Conflict:
    """Return what is told of a stack that is at work."""
    return Conflict(f"Stack {stack.name} already has an action ({doing}) in progress.")


def _taken(name: str) -> Conflict:
    return Conflict(f"The Stack ({name}) already exists.")


def _is_asked(caller: Caller, look: Lookup) -> bool:
    """Tell whether it is looked up: who checks a stack for another asks no third about those in it,
    for there may be no end to them."""
    return not (caller.is_within and look.constraint == ELSEWHERE)


def _code(look: Lookup) -> Code:
    """Return the code of a value that names nothing in the cloud."""
    if look.constraint == ELSEWHERE:
        return Code.STACK_ELSEWHERE
    of_resource = look.at[:1] == ("resources",)
    return Code.PROPERTY_VALUE if of_resource else Code.PARAMETER_VALUE


def _check_name(name: str) -> None:
    if NAME.fullmatch(name) is None:
        text = (
            f'Invalid stack name {name} must contain only alphanumeric or "_-." characters,'
            " must start with alpha and must be 255 characters or less."
        )
        raise Invalid([Problem(text, kind=Kind.VALIDATION, code=Code.REQUEST)])


def _not_cancelled(state: str) -> Unsupported:
    return Unsupported(f"Cancelling update when stack is {state} is not supported.")


def _kept_with(
    prepared: Prepared, tags: tuple[str, ...], timeout_mins: int | None, *, observe: bool = False
) -> Prepared:
    """Return the goal with what is kept beside its documents."""
    documents = replace(prepared.documents, tags=tags, timeout_mins=timeout_mins, observe=observe)
    return replace(prepared, documents=documents)
