"""The use cases of snapshots: take one, show them, go back to one, delete one.

A snapshot is a traversal of the stack that makes copies and touches no resource. What the stack
was is written with the request, sealed: nothing can change it before the traversal's end.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.copying import Copying, source_of
from stoker.engine.goals import Documents
from stoker.engine.secrets import masked
from stoker.engine.usecases.changing import Changing, busy
from stoker.engine.usecases.exporting import exported, exported_resource
from stoker.engine.usecases.lookup import owned
from stoker.engine.usecases.trying import until_unmoved
from stoker.errors import LimitExceeded, NotFound, Unsupported
from stoker.lang import template as templates
from stoker.lang.environment import read_environment
from stoker.lang.wording import MASK
from stoker.plan.restoring import fitting, mended_template, mending
from stoker.sdk.copies import base_of
from stoker.sdk.resource import StackInfo
from stoker.store import snapshots as rows
from stoker.store.forgetting import Forgotten, forget
from stoker.store.goal import Operation
from stoker.usecases.stacks import SnapshotView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.store.snapshots import CopyRow, SnapshotRow
    from stoker.store.stacks import Connection, StackRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import Json, StackRef

_SUSPENDED = "Snapshotting a stack when it is suspended is not supported; resume it first."


class Snapshotting(Changing):
    """Takes, shows, restores and deletes snapshots."""

    def snapshot(self, caller: Caller, stack: StackRef, name: str | None) -> SnapshotView:
        """Accept that a snapshot is taken; raises Unsupported, Conflict, LimitExceeded."""
        new, now = until_unmoved(lambda: self._take(caller, stack, name)), self._database.now()
        at = datetime.fromtimestamp(now, UTC)
        begun = rows.SnapshotRow(new.id, name, "CREATE", "IN_PROGRESS", "", new.data, at)
        with self._database.read() as connection:
            return self._view(owned(connection, caller, stack), begun, [])

    def snapshots(self, caller: Caller, stack: StackRef) -> builtins.list[SnapshotView]:
        """Return the snapshots of a stack, oldest first."""
        with self._database.read() as connection:
            row = owned(connection, caller, stack)
            found = rows.of_stack(connection, row.id)
            copies = rows.copies(connection, row.id)
        return [self._view(row, each, copies) for each in found]

    def snapshot_of(self, caller: Caller, stack: StackRef, snapshot_id: str) -> SnapshotView:
        """Return one snapshot; raises NotFound."""
        with self._database.read() as connection:
            row = owned(connection, caller, stack)
            found = rows.one(connection, row.id, snapshot_id)
            copies = rows.copies(connection, row.id)
        if found is None:
            raise NotFound("Snapshot", snapshot_id)
        return self._view(row, found, copies)

    def forget_snapshot(self, caller: Caller, stack: StackRef, snapshot_id: str) -> None:
        """Begin to delete a snapshot; raises NotFound, Unsupported."""
        there = self._alive(caller, stack)
        now, traversal = self._database.now(), str(uuid4())

        def write(connection: Connection) -> None:
            came = forget(connection, there.id, snapshot_id, traversal, now)
            if came is Forgotten.ABSENT:
                raise NotFound("Snapshot", snapshot_id)
            if came is Forgotten.BUSY:
                raise Unsupported("Deleting in-progress snapshot is not supported.")

        self._write_opened(caller, there, write)
        self._wake()

    def restore(self, caller: Caller, stack: StackRef, snapshot_id: str) -> None:
        """Accept that a stack goes back to a snapshot; raises NotFound, Unsupported, Conflict."""
        until_unmoved(lambda: self._restore(caller, stack, snapshot_id))

    # one try of each

    def _take(self, caller: Caller, ref: StackRef, name: str | None) -> rows.NewSnapshot:
        stack = self._alive(caller, ref)
        self._check_types(caller, {row.row.type for row in self._operations.rows(stack.id)})
        self._refuse_busy(stack)
        if stack.action == "SUSPEND":
            raise Unsupported(_SUSPENDED)
        self._check_room(caller, stack.id)
        snapshot_id = str(uuid4())
        copying = Copying(self._operations, self._types, snapshot_id)
        copying.of_stack(stack.id)
        data = self._database.sealer.seal(self._data(stack))
        new = rows.NewSnapshot(snapshot_id, name, stack.project_id, data)
        operation = Operation(
            stack_id=stack.id,
            traversal_id=snapshot_id,
            action="SNAPSHOT",
            stack={},
            needs=copying.found.needs,
            seconds=self._operations.seconds(stack.timeout_mins),
            version=stack.version,
            new=tuple(copying.found.rows),
            rows=frozenset(row.id for row in self._operations.rows(stack.id)),
            snapshot=new,
        )
        self._begin_as(caller, stack, operation, as_it_is=True)
        return new

    def _restore(self, caller: Caller, ref: StackRef, snapshot_id: str) -> None:
        stack = self._alive(caller, ref)
        with self._database.read() as connection:
            kept = rows.one(connection, stack.id, snapshot_id)
            copies = rows.copies(connection, stack.id)
        if kept is None:
            raise NotFound("Snapshot", snapshot_id)
        if (kept.action, kept.status) != ("CREATE", "COMPLETE"):
            raise Unsupported("Restoring incomplete snapshot is not supported.")
        self._refuse_busy(stack)
        if stack.action == "SUSPEND":
            raise Unsupported("Restoring a stack when it is suspended is not supported.")
        info = StackInfo(stack.id, stack.name, stack.project_id)
        wanted = self._wanted(kept, copies)
        prepared = self._prepare(caller, replace(wanted, timeout_mins=stack.timeout_mins), info)
        operation = self._operations.update(
            stack, prepared, {}, seconds=self._operations.seconds(stack.timeout_mins),
            undoable=not stack.disable_rollback, restores=True,
        )  # fmt: skip
        operation = replace(operation, tags=wanted.tags)
        self._begin_as(caller, stack, operation, needed=prepared.needs_cloud)

    # parts

    def _alive(self, caller: Caller, ref: StackRef) -> Any:
        stack = self._stack(caller, ref)
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        return stack

    def _refuse_busy(self, stack: Any) -> None:
        if stack.rollback_due is not None:
            raise busy(stack, "ROLLBACK")
        if stack.status == "IN_PROGRESS":
            raise busy(stack, stack.action)
        if stack.action == "DELETE":
            raise Unsupported("The stack is being deleted.")

    def _check_room(self, caller: Caller, stack_id: str) -> None:
        most = self._settings.max_snapshots_per_stack
        if caller.is_admin or most < 0:
            return
        with self._database.read() as connection:
            there = rows.count(connection, stack_id)
        if there >= most:
            raise LimitExceeded(
                f"You have reached the maximum snapshots per stack, {most}."
                " Please delete some snapshots."
            )

    def _data(self, stack: Any) -> Json:
        """Return what a snapshot keeps beside its copies."""
        documents = self._operations.documents(stack)
        tags = self._tags(stack)
        resources = {
            row.name: exported_resource(self._database, self._types, row.row)
            for row in self._operations.rows(stack.id)
            if row.stays and not row.doomed
        }
        return {
            "document": exported(stack, documents, tags, resources),
            "environment": documents.environment.as_dict(),
            "parameters": dict(documents.parameters),
        }

    def _wanted(self, kept: SnapshotRow, copies: builtins.list[CopyRow]) -> Documents:
        """Return what the stack was, with its data taken from the copies."""
        data = self._database.sealer.open(kept.data)
        document = data["document"]
        found = []
        for copy in copies:
            if copy.snapshot_id != kept.id or copy.physical_id is None:
                continue
            source = source_of(self._database, copy.definition)
            kind = self._types.get(base_of(source.implementation))
            if kind is not None:
                found.append((source.way, source.type, kind.restored(copy.physical_id)))
        raw = templates.read(document["template"]).raw
        mended = fitting(raw, mending(found))
        return Documents(
            template=mended_template(raw, mended),
            environment=read_environment(data["environment"]),
            parameters=data["parameters"],
            files=document["files"],
            tags=tuple(document["tags"]),
            restored=mended,
        )

    def _view(
        self, stack: StackRow, row: SnapshotRow, copies: builtins.list[CopyRow]
    ) -> SnapshotView:
        document = self._database.sealer.open(row.data)["document"]
        secrets = frozenset(
            () if stack.secrets is None else self._database.sealer.open(stack.secrets)
        )
        is_whole = (row.action, row.status) == ("CREATE", "COMPLETE")
        shown = self._whole(document, row, copies) if is_whole else {**document, "resources": {}}
        return SnapshotView(
            id=row.id,
            name=row.name,
            action=row.action,
            status=row.status,
            reason=row.reason,
            created_at=row.created_at,
            data=masked(_without_hidden(shown), secrets),
        )

    def _whole(
        self, document: Json, row: SnapshotRow, copies: builtins.list[CopyRow]
    ) -> dict[str, Any]:
        """Return the document as clients know it of a snapshot that was taken well."""
        taken = {"action": "SNAPSHOT", "status": "COMPLETE"}
        resources = {name: {**each, **taken} for name, each in document["resources"].items()}
        for copy in copies:
            source = source_of(self._database, copy.definition)
            name = source.way[0]
            if copy.snapshot_id != row.id or len(source.way) > 1 or name not in resources:
                continue
            kind = self._types.get(base_of(source.implementation))
            key = "copy_id" if kind is None else kind.copy_key
            data = {**resources[name]["resource_data"], key: copy.physical_id}
            resources[name] = {**resources[name], "resource_data": data}
        return {**document, **taken, "resources": resources}


def _without_hidden(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with the values of hidden parameters masked."""
    declared = templates.read(document["template"]).parameters
    environment = dict(document["environment"])
    for section in ("parameters", "parameter_defaults"):
        environment[section] = {
            name: MASK if name in declared and declared[name].hidden else value
            for name, value in environment[section].items()
        }
    return {**document, "environment": environment}
