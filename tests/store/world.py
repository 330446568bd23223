"""Rows for tests: stacks, resources and events with everything that a test does not say."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import sqlalchemy as sa

from stoker.store.tables import (
    event,
    raw_template,
    raw_template_files,
    resource,
    resource_data,
    stack,
    stack_tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

START = datetime(2026, 1, 1, tzinfo=UTC)
TEMPLATE = {"heat_template_version": "2018-08-31"}


@dataclass
class World:
    """Adds rows to a database; its clock goes on by a second with each of them."""

    database: Database
    project: str = "p1"
    _ids: Iterator[int] = field(default_factory=lambda: iter(range(1, 1_000_000)))

    def uuid(self) -> str:
        return str(UUID(int=next(self._ids), version=4))

    def moment(self) -> datetime:
        return (START + timedelta(seconds=next(self._ids))).replace(tzinfo=None)

    def seal(self, value: Any) -> bytes:
        return self.database.sealer.seal(value)

    def insert(self, table: sa.Table, **values: Any) -> Any:
        with self.database.write() as connection:
            key = connection.execute(sa.insert(table).values(**values)).inserted_primary_key
        assert key is not None
        return key[0]

    def template(self, template: Any = None, environment: Any = None, files: Any = None) -> int:
        files_id = None
        if files is not None:
            digest = self.database.sealer.digest(files)
            files_id = self.insert(raw_template_files, digest=digest, files=self.seal(files))
        stored = {"environment": environment or _environment(), "parameters": {}, "facade": None}
        return int(
            self.insert(
                raw_template,
                template=self.seal(template or TEMPLATE),
                environment=self.seal(stored),
                files_id=files_id,
                created_at=self.moment(),
            )
        )

    def set_environment(self, template_id: int, stored: dict[str, Any]) -> None:
        """Store an environment with the request's parameters beside it."""
        with self.database.write() as connection:
            connection.execute(
                sa.update(raw_template)
                .where(raw_template.c.id == template_id)
                .values(environment=self.seal(stored))
            )

    def stack(self, name: str = "s", *, tags: tuple[str, ...] = (), **columns: Any) -> str:
        """Add a stack that is CREATE_COMPLETE; ``parameters`` and ``outputs`` in the clear."""
        stack_id = columns.pop("id", None) or self.uuid()
        sealed = {
            "parameters": self.seal(columns.pop("parameters", {})),
            "outputs": self.seal(columns.pop("outputs", [])),
        }
        plain = {
            "project_id": self.project,
            "user_id": "u1",
            "username": "ann",
            "action": "CREATE",
            "status": "COMPLETE",
            "status_reason": "done",
            "version": 1,
            "remaining": 0,
            "failures": 0,
            "template_id": columns.pop("template_id", None) or self.template(),
            "root_id": stack_id,
            "nested_depth": 0,
            "description": "",
            "disable_rollback": True,
            "created_at": self.moment(),
        }
        self.insert(stack, id=stack_id, name=name, **{**plain, **sealed, **columns})
        for position, tag in enumerate(tags):
            self.insert(stack_tag, stack_id=stack_id, position=position, tag=tag)
        return stack_id

    def child(self, owner_id: str, resource_id: int, resource_name: str, **columns: Any) -> str:
        """Add the child stack of a resource."""
        root = columns.pop("root_id", owner_id)
        given = {"name": f"{resource_name}-child", **columns}
        return self.stack(
            owner_id=owner_id,
            root_id=root,
            parent_resource_id=resource_id,
            parent_resource_name=resource_name,
            **given,
        )

    def resource(self, stack_id: str, name: str = "r", **columns: Any) -> int:
        """Add a resource that is CREATE_COMPLETE; sealed columns in the clear."""
        return int(self.insert(resource, **self.resource_row(stack_id, name, **columns)))

    def resource_row(self, stack_id: str, name: str, **columns: Any) -> dict[str, Any]:
        definition = {"description": "", "metadata": {}, "properties": {}}
        definition |= columns.pop("definition", {})
        sealed = {"definition": self.seal(definition)}
        for column in ("attributes", "metadata", "sent", "applied"):
            if column in columns:
                sealed[column] = self.seal(columns.pop(column))
        type_ = columns.pop("type", "T::Plain")
        plain = {
            "uuid": self.uuid(),
            "stack_id": stack_id,
            "name": name,
            "type": type_,
            "implementation": type_,
            "is_current": True,
            "is_doomed": False,
            "position": next(self._ids),
            "requires": [],
            "action": "CREATE",
            "status": "COMPLETE",
            "status_reason": "state changed",
            "physical_id": f"id-of-{name}",
            "epoch": 0,
            "attempt": 0,
            "inbox_read": 0,
            "created_at": self.moment(),
            "updated_at": self.moment(),
        }
        return {**plain, **sealed, **columns}

    def many(self, stack_id: str, count: int, **columns: Any) -> None:
        """Add resources r0, r1 … in one go."""
        rows = [self.resource_row(stack_id, f"r{i}", **dict(columns)) for i in range(count)]
        with self.database.write() as connection:
            connection.execute(sa.insert(resource), rows)

    def data(self, resource_id: int, **values: Any) -> None:
        for key, value in values.items():
            self.insert(resource_data, resource_id=resource_id, key=key, value=self.seal(value))

    def event(self, stack_id: str, name: str = "r", **columns: Any) -> str:
        uuid = self.uuid()
        if "properties" in columns:
            columns["properties"] = self.seal(columns["properties"])
        plain = {
            "resource_type": "T::Plain",
            "physical_id": None,
            "action": "CREATE",
            "status": "COMPLETE",
            "status_reason": "state changed",
            "created_at": self.moment(),
        }
        self.insert(event, uuid=uuid, stack_id=stack_id, resource_name=name, **{**plain, **columns})
        return uuid

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """Give the list of statements that the database is asked meanwhile."""
        seen: list[str] = []

        def note(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
            seen.append(statement)

        sa.event.listen(self.database.engine, "before_cursor_execute", note)
        try:
            yield seen
        finally:
            sa.event.remove(self.database.engine, "before_cursor_execute", note)


def _environment() -> dict[str, Any]:
    return {
        "parameters": {},
        "parameter_defaults": {},
        "resource_registry": {"resources": {}},
        "event_sinks": [],
        "encrypted_param_names": [],
    }
