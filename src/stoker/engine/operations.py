"""From a goal to an operation that the store can write: create, update, delete, act.

Reading what is recorded and writing the operation are apart; what moved in between is found
by the store's guards, and the operation is planned again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.goals import Documents, Preparation, Prepared, nothing
from stoker.engine.observing import OBSERVES
from stoker.engine.records import REQUIRES, PlanRow, definition_of
from stoker.engine.secrets import masked
from stoker.engine.source import Source
from stoker.errors import NotFound
from stoker.lang.environment import read_environment
from stoker.lang.expression import dump, load
from stoker.lang.sinks import webhooks
from stoker.lang.stack import shown_parameters
from stoker.plan.acting import plan_action
from stoker.plan.decide import Verb
from stoker.plan.plan import Plan, plan_delete, plan_goal
from stoker.plan.restoring import touched
from stoker.sdk.resource import StackInfo
from stoker.store import queries
from stoker.store.goal import Moved, NewRow, NewSink, Operation, RowGoal, TemplateRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from stoker.engine.settings import Settings
    from stoker.lang.environment import Environment
    from stoker.plan.desired import Want
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.usecases.stacks import Action


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a child stack hangs."""

    stack: Any  # the parent stack's row
    resource_id: int
    resource_name: str


class Operations:
    """Plans operations against the store; all state is in the rows."""

    def __init__(self, database: Database, types: Types, settings: Settings) -> None:
        self.database, self._types, self._settings = database, types, settings
        self.preparation = Preparation(types, settings)

    # what is recorded

    def stack(self, stack_id: str) -> Any:
        """Return the stack's row; raises NotFound."""
        with self.database.read() as connection:
            row = queries.stack(connection, stack_id)
        if row is None:
            raise NotFound("Stack", stack_id)
        return row

    def documents(self, stack: Any, template_id: int | None = None) -> Documents:
        """Return what the stack was last asked to be, or what it is by another goal's documents.

        Raises Moved where its row is old.
        """
        with self.database.read() as connection:
            row = queries.documents(connection, template_id or stack.template_id)
        if row is None:  # an update has ended since the stack's row was read
            raise Moved(f"stack {stack.id} has another template by now")
        opened = self.database.sealer.open
        stored = opened(row.environment)
        facade, zones = stored["facade"], stored.get("zones")
        return Documents(
            template=opened(row.template),
            environment=replace(
                read_environment(stored["environment"]),
                withheld=frozenset(stored.get("withheld", ())),
            ),
            parameters=stored["parameters"],
            files=opened(row.files),
            facade=None if facade is None else {k: load(v) for k, v in facade.items()},
            tags=tuple(stored["tags"]),
            timeout_mins=stored["timeout_mins"],
            restored=stored.get("restored", {}),
            observe=stored.get("observe", False),
            zones=None if zones is None else tuple(zones),
        )

    def rows(self, stack_id: str, *, copies: bool = False) -> list[PlanRow]:
        """Return the stack's resources as plans read them; with the ``copies`` of snapshots."""
        with self.database.read() as connection:
            rows = queries.planned(connection, [stack_id], copies=copies)
        return self._planned(rows, Source(self.database))

    def rows_of(self, stack_ids: Collection[str], source: Source) -> dict[str, list[PlanRow]]:
        """Return the resources of these stacks; what they say of others is read of ``source``."""
        with self.database.read() as connection:
            rows = queries.planned(connection, stack_ids)
        found: dict[str, list[PlanRow]] = {each: [] for each in stack_ids}
        for row in self._planned(rows, source):
            found[row.row.stack_id].append(row)
        return found

    def _planned(self, rows: Iterable[Any], source: Source) -> list[PlanRow]:
        types, database = self._types, self.database
        return [
            PlanRow(database, types, row, settled=bool(row.settled), source=source) for row in rows
        ]

    # operations

    def create(
        self, prepared: Prepared, stack: dict[str, Any], *, seconds: float, parent: Parent | None
    ) -> Operation:
        """Return the operation that makes a stack; ``stack`` holds its own columns."""
        plan = plan_goal(prepared.desired, [])
        stack_id = stack.pop("id")
        columns = {**stack, **self._shown(prepared), **_lineage(stack_id, parent)}
        return Operation(
            stack_id=stack_id,
            traversal_id=str(uuid4()),
            action="CREATE",
            stack=columns,
            needs=plan.needs,
            seconds=seconds,
            template=self._template(prepared.documents),
            new=self._new_rows(prepared, plan),
            sinks=self._sinks(stack_id, prepared.documents.environment),
        )

    def update(
        self, stack: Any, prepared: Prepared, columns: dict[str, Any], *, seconds: float,
        undoable: bool = False, restores: bool = False, observes: bool = False,
    ) -> Operation:  # fmt: skip
        """Return the operation that brings a recorded stack to a goal.

        ``undoable``: a failure would be rolled back. ``restores``: what the goal says to be
        restored is done in any case. ``observes``: what there is, is looked at.
        """
        rows = self.rows(stack.id)
        for row in rows:
            row.looks = observes and row.is_observable
        if restores:
            forced = touched(prepared.documents.restored)
            for row in rows:
                row.forced = forced.get(row.name, frozenset()) if row.stays else frozenset()
        plan = plan_goal(prepared.desired, rows, undoable=undoable)
        busy = {node.row for node in plan.needs}
        traversal_id = str(uuid4())
        return Operation(
            stack_id=stack.id,
            traversal_id=traversal_id,
            action="RESTORE" if restores else "UPDATE",
            stack={**columns, **self._shown(prepared, self._secrets(stack))},
            needs=plan.needs,
            seconds=seconds,
            version=stack.version,
            template=self._template(prepared.documents),
            new=self._new_rows(prepared, plan),
            goals=self._row_goals(prepared, plan, rows, traversal_id),
            doomed=plan.doomed,
            returned=plan.returned,
            idle={row.id: row.row.epoch for row in rows if row.id not in busy},
            rows=frozenset(row.id for row in rows),
            sinks=self._sinks(stack.id, prepared.documents.environment),
        )

    def roll_back(self, stack: Any, cause: str) -> Operation:
        """Return the operation that goes back to the last goal that was reached, or to nothing.

        Raises Invalid, Moved.
        """
        documents, tags = self._before(stack)
        info = StackInfo(stack.id, stack.name, stack.project_id)
        prepared = self.preparation.prepare(documents, info)
        minutes = documents.timeout_mins
        operation = self.update(
            stack, prepared, {"timeout_mins": minutes}, seconds=self.seconds(minutes)
        )
        if stack.complete_template_id is None:  # whoever was told of the failure is told of this
            operation = replace(operation, sinks=None)
        return replace(operation, action="ROLLBACK", tags=tags, cause=cause)

    def _before(self, stack: Any) -> tuple[Documents, tuple[str, ...] | None]:
        """Return what to go back to, and its tags; None leaves them."""
        if stack.complete_template_id is not None:
            documents = self.documents(stack, stack.complete_template_id)
            return documents, documents.tags
        failed = self.documents(stack)
        return nothing(failed.template, stack.timeout_mins), None

    def delete(self, stack: Any, *, seconds: float) -> Operation:
        """Return the operation that deletes a stack."""
        rows = self.rows(stack.id, copies=True)
        plan = plan_delete(rows)
        return Operation(
            stack_id=stack.id,
            traversal_id=str(uuid4()),
            action="DELETE",
            stack={},
            needs=plan.needs,
            seconds=seconds,
            version=stack.version,
            doomed=plan.doomed,
            rows=frozenset(row.id for row in rows),
        )

    def act(self, stack: Any, action: Action, *, seconds: float) -> Operation:
        """Return the operation that does something to all resources as they are."""
        rows = self.rows(stack.id)
        return Operation(
            stack_id=stack.id,
            traversal_id=str(uuid4()),
            action=action.upper(),
            stack={},
            needs=plan_action(action, rows).needs,
            seconds=seconds,
            version=stack.version,
            rows=frozenset(row.id for row in rows),
        )

    def seconds(self, timeout_mins: int | None) -> float:
        """Return the time that an operation has."""
        return float(60 * timeout_mins if timeout_mins else self._settings.stack_action_timeout)

    # parts

    def _secrets(self, stack: Any) -> frozenset[str]:
        return frozenset(() if stack.secrets is None else self.database.sealer.open(stack.secrets))

    def _shown(self, prepared: Prepared, before: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return the columns that tell of the goal; ``before`` was hidden, and may be in use."""
        template, instance = prepared.template, prepared.instance
        secrets = prepared.secrets | before
        outputs = [
            {
                "name": each.name,
                "description": each.description,
                "value": dump(each.value),
                "error": masked("; ".join(p.text for p in each.problems), secrets) or None,
            }
            for each in instance.outputs.values()
        ]
        parameters = masked(shown_parameters(template, instance), prepared.documents.secrets)
        seal = self.database.sealer.seal
        return {
            "description": template.description or "",
            "parameters": seal(parameters),
            "outputs": seal(outputs),
            "secrets": seal(sorted(secrets)) if secrets else None,
        }

    def _sinks(self, stack_id: str, environment: Environment) -> tuple[NewSink, ...]:
        sealer = self.database.sealer
        return tuple(
            NewSink(
                sealer.digest([stack_id, asdict(each)]),
                sealer.digest(each.place),
                sealer.seal(asdict(each)),
            )
            for each in webhooks(environment.event_sinks)
        )

    def _template(self, documents: Documents) -> TemplateRow:
        sealer = self.database.sealer
        source = documents.template
        facade = documents.facade
        return TemplateRow(
            template=sealer.seal(source if isinstance(source, str) else dict(source)),
            environment=sealer.seal(
                {
                    "environment": documents.environment.as_dict(),
                    "parameters": dict(documents.parameters),
                    "facade": None if facade is None else {k: dump(v) for k, v in facade.items()},
                    "tags": list(documents.tags),
                    "timeout_mins": documents.timeout_mins,
                    "restored": documents.restored,
                    "asked": documents.asked,
                    "observe": documents.observe,
                    "zones": documents.zones,
                    "withheld": sorted(documents.environment.withheld),
                }
            ),
            files=sealer.seal(dict(documents.files)),
            files_digest=sealer.digest(dict(documents.files)),
        )

    def _new_rows(self, prepared: Prepared, plan: Plan) -> tuple[NewRow, ...]:
        added = {node.row for node in plan.needs if isinstance(node.row, str)}
        return tuple(
            self.new_row(want, position, self._requires(prepared, name))
            for position, (name, want) in enumerate(prepared.desired.wants.items())
            if name in added
        )

    def new_row(self, want: Want, position: int, requires: tuple[str, ...]) -> NewRow:
        """Return a row to add for a resource."""
        return NewRow(
            name=want.definition.name,
            type=want.definition.type,
            implementation=want.type_name,
            uuid=str(uuid4()),
            position=position,
            definition=self._definition(want, requires),
            requires=requires,
        )

    def _definition(
        self, want: Want, requires: tuple[str, ...], looks_in: str | None = None
    ) -> bytes:
        beside: dict[str, Any] = {REQUIRES: list(requires)}
        if looks_in is not None:
            beside[OBSERVES] = looks_in
        return self.database.sealer.seal({**definition_of(want), **beside})

    def _row_goals(
        self, prepared: Prepared, plan: Plan, rows: list[PlanRow], traversal_id: str
    ) -> tuple[RowGoal, ...]:
        by_id = {row.id: row for row in rows}
        # A name may also have a row on its way out, which the plan lists as a removal.
        current = {
            c.name: by_id[c.row]
            for c in plan.changes
            if c.row is not None and c.verb is not Verb.DELETE
        }
        busy = {node.row for node in plan.needs if node.forward}
        goals = []
        for position, (name, want) in enumerate(prepared.desired.wants.items()):
            row = current.get(name)
            requires = self._requires(prepared, name)
            if row is None or row.id in plan.held:
                continue
            if not _as_it_was(row, want, position, requires):
                goal = self._row_goal(row, want, position, requires, traversal_id)
                if row.id in busy and row.is_begun:  # what is there stands on what it stood on
                    goal = replace(goal, requires=tuple(row.requires))
                goals.append(goal)
        return tuple(goals)

    def _row_goal(
        self, row: PlanRow, want: Want, position: int, requires: tuple[str, ...],
        traversal_id: str,
    ) -> RowGoal:  # fmt: skip
        same = row.row.type == want.definition.type
        looks_in = traversal_id if row.looks else None
        return RowGoal(
            id=row.id,
            position=position,
            implementation=want.type_name,
            type=None if same else want.definition.type,
            definition=self._definition(want, requires, looks_in),
            requires=requires,
            progress=row.asked(),
        )

    @staticmethod
    def _requires(prepared: Prepared, name: str) -> tuple[str, ...]:
        return tuple(sorted(prepared.desired.graph.needs[name]))


def _as_it_was(row: PlanRow, want: Want, position: int, requires: tuple[str, ...]) -> bool:
    return (
        row.same_definition(want)
        and row.row.position == position
        and row.row.type == want.definition.type
        and tuple(row.requires) == requires
        and tuple(row.definition.get(REQUIRES, requires)) == requires
        and not row.row.is_doomed
    )


def _lineage(stack_id: str, parent: Parent | None) -> dict[str, Any]:
    if parent is None:
        return {"root_id": stack_id, "nested_depth": 0}
    above = parent.stack
    return {
        "root_id": above.root_id,
        "owner_id": above.id,
        "parent_resource_id": parent.resource_id,
        "parent_resource_name": parent.resource_name,
        "nested_depth": above.nested_depth + 1,
        "project_id": above.project_id,
        "user_id": above.user_id,
        "username": above.username,
        "user_creds_id": above.user_creds_id,
        "stack_user_project_id": above.stack_user_project_id,
    }
