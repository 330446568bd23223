"""The use cases of change sets: the plan of a preview, kept, and carried out as it was shown.

What is kept of a plan is the request and the version of the state that it was made from: an
update that goes by it is refused where rows have moved since. A change set is marked as done
after its operation is accepted; one whose process dies in between is refused, as the stack moved.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from stoker.engine.usecases import proposals
from stoker.errors import Bug, LimitExceeded, NotFound
from stoker.lang import template as templates
from stoker.store import change_sets as rows
from stoker.usecases.change_sets import Execution, Spent, is_id
from stoker.usecases.stacks import CreateStack, Fate, StackRef, UpdateStack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stoker.store.change_sets import ChangeSetRow
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller
    from stoker.usecases.change_sets import ChangeSetView, Proposal
    from stoker.usecases.stacks import Json, ResourcePreview, Stacks

MOST = 100
"""Change sets of one stack."""
NO_CHANGE = (
    "The submitted information didn't contain changes."
    " Submit different information to create a change set."
)
"""AWS's own words: its command line looks for them."""


class ChangeSetUseCases:
    """``usecases.change_sets.ChangeSets``, in process, on the use cases of stacks."""

    def __init__(self, database: Database, stacks: Stacks) -> None:
        self._database, self._stacks = database, stacks

    def propose(self, caller: Caller, what: Proposal) -> ChangeSetView:
        """Plan and keep it; nothing is done to the stack."""
        request, stack = what.what, what.stack
        if isinstance(request, CreateStack):
            there = self._planned(caller, request.name)
            row, shown = self._new(caller, what, request, there)
        else:
            if stack is None:
                raise Bug("an update is proposed for no stack")
            there = self._rows(caller, stack.id)
            row, shown = self._update(caller, what, request, stack)
        self._database.again(partial(rows.add, row=row, instead=_replaced(there, what.name)))
        return proposals.view(row, shown)

    def list(self, caller: Caller, stack: str) -> builtins.list[ChangeSetView]:
        """Return the change sets of a stack, or of one that is only planned."""
        return [proposals.view(row) for row in self._rows(caller, stack)]

    def show(self, caller: Caller, name_or_id: str, stack: str | None) -> ChangeSetView:
        """Return a change set with its plan."""
        row = self._row(caller, name_or_id, stack)
        return proposals.view(row, self._database.sealer.open(row.shown))

    def drop(self, caller: Caller, name_or_id: str, stack: str | None) -> None:
        """Forget a change set."""
        row = self._row(caller, name_or_id, stack)
        self._database.again(partial(rows.remove, id=row.id))

    def carry_out(self, caller: Caller, name_or_id: str, stack: str | None) -> StackRef:
        """Have it done as it was shown."""
        row = self._row(caller, name_or_id, stack)
        if row.execution != Execution.AVAILABLE:
            raise Spent(f"ChangeSet [{row.name}] cannot be executed: {row.reason or 'it was'}")
        request, ref = self._database.sealer.open(row.request), _ref(row)
        if row.is_new:
            ref = self._stacks.create(caller, proposals.created(request))
        else:
            self._stacks.update(caller, ref, proposals.updated(request))
        self._database.again(partial(rows.end, id=row.id, execution=Execution.DONE))
        return ref

    # planning

    def _new(
        self, caller: Caller, proposal: Proposal, what: CreateStack, planned: Sequence[ChangeSetRow]
    ) -> tuple[ChangeSetRow, Json]:
        preview = self._stacks.preview_create(caller, what)
        stack_id = planned[0].stack_id if planned else str(uuid4())
        ref = StackRef(stack_id, what.name, caller.project_id)
        hidden = templates.read(what.goal.template or {}).hidden
        shown = proposals.plan(what, proposals.flat(preview.resources), hidden)
        return self._made(proposal, replace(what, id=stack_id), ref, shown, reason=""), shown

    def _update(
        self, caller: Caller, proposal: Proposal, what: UpdateStack, ref: StackRef
    ) -> tuple[ChangeSetRow, Json]:
        preview = self._stacks.preview_update(caller, ref, what)
        before = self._stacks.template(caller, ref)
        template = before if what.goal.template is None else what.goal.template
        after = templates.read(template)
        shown = proposals.plan(what, preview.resources, after.hidden)
        changes = _changes(preview.resources) or dict(after.raw) != before
        changes = changes or self._says_otherwise(caller, ref, what)
        request = replace(what, expected=preview.version)
        row = self._made(proposal, request, ref, shown, reason="" if changes else NO_CHANGE)
        return row, shown

    def _says_otherwise(self, caller: Caller, ref: StackRef, what: UpdateStack) -> bool:
        """Return whether an update gives other parameters or tags than the stack has."""
        now = self._stacks.environment(caller, ref)["parameters"]
        kept = {name: each for name, each in now.items() if name not in what.clear_parameters}
        then = {**kept, **what.goal.parameters} if what.existing else dict(what.goal.parameters)
        tags = self._stacks.show(caller, ref, resolve_outputs=False).tags
        return _texts(now) != _texts(then) or what.tags not in (None, tags)

    def _made(
        self,
        proposal: Proposal,
        request: CreateStack | UpdateStack,
        ref: StackRef,
        shown: Json,
        *,
        reason: str,
    ) -> ChangeSetRow:
        seal = self._database.sealer.seal
        return rows.ChangeSetRow(
            id=str(uuid4()),
            name=proposal.name,
            description=proposal.description,
            project_id=ref.project_id,
            stack_id=ref.id,
            stack_name=ref.name,
            is_new=isinstance(request, CreateStack),
            execution=Execution.UNAVAILABLE if reason else Execution.AVAILABLE,
            reason=reason,
            request=seal(proposals.kept(request)),
            shown=seal(shown),
            created_at=datetime.fromtimestamp(self._database.now(), UTC),
        )

    # finding

    def _row(self, caller: Caller, name_or_id: str, stack: str | None) -> ChangeSetRow:
        if is_id(name_or_id):
            with self._database.read() as connection:
                row = rows.by_id(connection, name_or_id)
            if row is not None and (caller.is_admin or row.project_id == caller.project_id):
                return row
        elif stack is not None:
            for row in self._rows(caller, stack):
                if row.name == name_or_id:
                    return row
        raise NotFound("Change set", name_or_id)

    def _rows(self, caller: Caller, stack: str) -> builtins.list[ChangeSetRow]:
        try:
            ref = self._stacks.locate(caller, stack)
        except NotFound:
            planned = self._planned(caller, stack)
            if not planned:
                raise
            return planned
        with self._database.read() as connection:
            return rows.of_stack(connection, ref.project_id, ref.id)

    def _planned(self, caller: Caller, stack: str) -> builtins.list[ChangeSetRow]:
        with self._database.read() as connection:
            found = rows.of_stack(connection, caller.project_id, stack)
        return [row for row in found if row.is_new and row.execution != Execution.DONE]


def _ref(row: ChangeSetRow) -> StackRef:
    return StackRef(row.stack_id, row.stack_name, row.project_id)


def _replaced(there: Sequence[ChangeSetRow], name: str) -> set[str]:
    """Return the ids of spent change sets that give way to a new one; raises LimitExceeded.

    The one of its name does, and the oldest where there are too many.
    """
    spent = [row for row in there if row.execution != Execution.AVAILABLE]
    ids = {row.id for row in spent if row.name == name}
    surplus = len(there) - len(ids) + 1 - MOST
    if surplus > 0:
        ids |= {row.id for row in [each for each in spent if each.id not in ids][:surplus]}
    if len(there) - len(ids) >= MOST:
        raise LimitExceeded(f"The stack has {MOST} change sets: delete some first.")
    return ids


def _changes(found: Iterable[ResourcePreview]) -> bool:
    return any(each.fate is not Fate.UNCHANGED for each in found)


def _texts(parameters: Json) -> dict[str, str]:
    return {name: str(each) for name, each in parameters.items()}
