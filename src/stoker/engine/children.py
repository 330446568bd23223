"""Child stacks as steps of their parent's resource.

Beginning a child's operation is part of the commit that records the parent's step; its end
wakes the parent's row. Nothing polls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.adopting import Adopting
from stoker.engine.columns import ADOPT
from stoker.engine.goals import Documents, child_documents
from stoker.engine.naming import physical_name
from stoker.engine.operations import Operations, Parent
from stoker.engine.reasons import ChildFailed
from stoker.engine.source import Source
from stoker.engine.views import Outputs
from stoker.errors import Bug, LimitExceeded
from stoker.lang.expression import load
from stoker.lang.unknown import is_known
from stoker.plan.acting import ACTIONS
from stoker.sdk.resource import Child, ChildGone, StackInfo
from stoker.store import queries
from stoker.store.goal import Moved
from stoker.store.traversal import NOT_FULLY
from stoker.store.work import Result

if TYPE_CHECKING:
    from stoker.engine.job import Job
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.goal import Operation
    from stoker.usecases.stacks import Action

_CHILD_IS_BUSY = 1.0
_CHANGING = ("UPDATE", "RESTORE")


class ToTheEnd(Outputs):
    """The outputs of a child whose operation has ended well: each has a value.

    Reading one that has none raises Moved: the child is being changed again, by another worker
    that took the parent's row over from one that stood still.
    """

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if not is_known(value):
            raise Moved(f"the child's output {name} has no value any more")
        return value


class Children:
    """Begins operations on child stacks and reads how they ended."""

    def __init__(self, operations: Operations, types: Types, settings: Settings) -> None:
        self._operations, self._types, self._settings = operations, types, settings
        self._adopting = Adopting(operations.database, types)

    def state(self, job: Job) -> Mapping[str, Any] | None:
        """Return the child's outputs once its operation is complete, None while it runs.

        Raises ChildFailed where it ended otherwise.
        """
        stack = self._row(job.row.physical_id)
        if stack is None or stack.traversal_id != job.row.child_traversal:
            raise ChildFailed("another operation took its child stack over")
        if stack.status == "IN_PROGRESS":
            return None
        if stack.status == "FAILED":
            raise ChildFailed(stack.status_reason)
        if stack.action == "DELETE":
            return {}
        return ToTheEnd(Source(self._operations.database), self._types, stack.id, strict=True)

    def begin(self, job: Job, step: Child | ChildGone) -> Result:
        """Return the result that begins what the step asks for."""
        there = self._row(job.row.physical_id)
        if isinstance(step, ChildGone):
            if there is None or there.deleted_at is not None:
                return Result(job.claim, {"physical_id": None}, seconds=0.0)
            operation = self._operations.delete(there, seconds=self._left(job))
        elif there is None or there.deleted_at is not None:
            operation = self._create(job, step)
            if job.row.verb == ADOPT:
                operation = self._adopting.adopted(operation, job.progress[ADOPT])
        else:
            operation = self._update(job, step, there)
        columns = {
            "physical_id": operation.stack_id,
            "child_traversal": operation.traversal_id,
            "intent_at": None,
        }
        return Result(job.claim, columns, child=operation)

    def act(self, job: Job, action: Action) -> Result:
        """Return the result that does the same to the child; raises ChildFailed without one."""
        there = self._row(job.row.physical_id)
        if there is None or there.action == "DELETE":
            raise ChildFailed("its child stack is gone, or being deleted")
        if there.status == "IN_PROGRESS" and there.action not in ACTIONS:
            return Result(job.claim, {"intent_at": None}, seconds=_CHILD_IS_BUSY)
        operation = self._operations.act(there, action, seconds=self._left(job))
        columns = {"child_traversal": operation.traversal_id, "intent_at": None}
        return Result(job.claim, columns, child=operation)

    def remark(self, job: Job) -> str | None:
        """Return what a parent tells of an action on its child that has ended well."""
        stack = self._row(job.row.physical_id)
        return NOT_FULLY if stack is not None and NOT_FULLY in stack.status_reason else None

    def _row(self, stack_id: str | None) -> Any:
        if stack_id is None:
            return None
        with self._operations.database.read() as connection:
            return queries.stack(connection, stack_id)

    def _left(self, job: Job) -> float:
        """Return the seconds that are left of the parent's time."""
        deadline = job.stack.deadline
        if deadline is None:
            raise Bug(f"stack {job.stack.id} runs without a deadline")
        return float(max(0.0, deadline - self._operations.database.now()))

    def _create(self, job: Job, step: Child) -> Operation:
        stack_id = str(uuid4())
        name = physical_name(job.stack.name, job.row.name, job.row.uuid)
        info = StackInfo(stack_id, name, job.stack.project_id)
        prepared = self._operations.preparation.alone(self._documents(job, step), info)
        self._check(job, prepared.total)
        columns = {
            "id": stack_id,
            "name": name,
            "timeout_mins": step.timeout_mins or job.stack.timeout_mins,
            "disable_rollback": True,  # the parent's rollback undoes it
        }
        parent = Parent(job.stack, job.row.id, job.row.name)
        return self._operations.create(
            prepared, columns, seconds=self._seconds(job, step), parent=parent
        )

    def _update(self, job: Job, step: Child, there: Any) -> Operation:
        info = StackInfo(there.id, there.name, there.project_id)
        documents, preparation = self._documents(job, step), self._operations.preparation
        if step.held:
            before = self._operations.documents(there)
            documents = preparation.holding(documents, step.held, before)
        prepared = preparation.alone(documents, info)
        self._check(job, prepared.total, of=there.id)
        return self._operations.update(
            there, prepared, {}, seconds=self._seconds(job, step), undoable=self._is_undoable(job),
            # Once: of a row of goals for the child the first has brought it all back.
            restores=job.stack.action == "RESTORE" and job.row.child_traversal is None,
            observes=prepared.documents.observe and job.stack.action == "UPDATE",
        )  # fmt: skip

    def _is_undoable(self, job: Job) -> bool:
        """Tell whether a failure of the whole tree would be rolled back, this child too."""
        root = self._row(job.stack.root_id)
        return root is not None and root.action in _CHANGING and not root.disable_rollback

    def _seconds(self, job: Job, step: Child) -> float:
        left = self._left(job)
        return min(left, 60.0 * step.timeout_mins) if step.timeout_mins else left

    def _documents(self, job: Job, step: Child) -> Documents:
        definition = job.definition
        return child_documents(
            self._operations.documents(job.stack),
            job.row.name,
            definition["type"],
            step,
            facade={
                "metadata": job.metadata,
                "deletion_policy": definition["deletion_policy"],
                "update_policy": load(definition["update_policy"]),
            },
            parameters=step.parameters,
            secrets=job.secrets,
        )

    def _check(self, job: Job, wanted: int, *, of: str | None = None) -> None:
        """Raise LimitExceeded where a child of so many resources is too much for the tree, or
        too deep in it; ``of`` is the child that is there."""
        settings = self._settings
        if job.stack.nested_depth + 1 > settings.max_nested_stack_depth:
            raise LimitExceeded(f"Recursion depth exceeds {settings.max_nested_stack_depth}.")
        if settings.max_resources_per_stack < 0:
            return
        with self._operations.database.read() as connection:
            total = queries.tree_size(connection, job.stack.root_id) + wanted
            if of is not None and total > settings.max_resources_per_stack:
                total -= queries.size_below(connection, of)
        if total > settings.max_resources_per_stack:
            raise LimitExceeded(
                "You have reached the maximum resources per stack,"
                f" {settings.max_resources_per_stack}: with {job.row.name} it would have {total}"
            )
