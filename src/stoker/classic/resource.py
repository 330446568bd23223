"""What a plugin's class inherits: the classic interface of a resource.

Rule: an instance lives for one verb and keeps nothing that must last but its id, its data and
its metadata, which the adapter reads off it after every call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from stoker.classic.attributes import SHOW_ATTR
from stoker.classic.context import Context
from stoker.classic.definition import Definition
from stoker.classic.exception import UpdateReplace
from stoker.classic.properties import Properties
from stoker.classic.stack import StackView
from stoker.classic.support import SupportStatus


class PollDelay(Exception):
    """Raised by a check that wants to be asked again after so many seconds."""

    def __init__(self, period: float) -> None:
        if period < 0:
            raise ValueError("a delay is not negative")
        self.period = period
        super().__init__(f"after {period} s")


class Resource:
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "INIT", "CREATE", "DELETE", "UPDATE", "ROLLBACK", "SUSPEND", "RESUME", "ADOPT",
        "SNAPSHOT", "CHECK",
    )  # fmt: skip
    (
        INIT, CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND, RESUME, ADOPT, SNAPSHOT, CHECK,
    ) = ACTIONS  # fmt: skip
    STATUSES: ClassVar[tuple[str, ...]] = ("IN_PROGRESS", "FAILED", "COMPLETE")
    IN_PROGRESS, FAILED, COMPLETE = STATUSES
    BASE_ATTRIBUTES: ClassVar[tuple[str, ...]] = (SHOW_ATTR,)
    SHOW: ClassVar[str] = SHOW_ATTR

    properties_schema: ClassVar[Mapping[str, Any]] = {}
    attributes_schema: ClassVar[Mapping[str, Any]] = {}
    update_policy_schema: ClassVar[Mapping[str, Any]] = {}
    update_allowed_properties: ClassVar[tuple[str, ...]] = ()
    default_client_name: ClassVar[str | None] = None
    entity: ClassVar[str | None] = None
    required_service_extension: ClassVar[str | None] = None
    support_status: ClassVar[SupportStatus] = SupportStatus()
    physical_resource_name_limit: ClassVar[int] = 255
    requires_deferred_auth = False
    strict_dependency = True
    no_signal_actions: ClassVar[tuple[str, ...]] = ("SUSPEND", "DELETE")
    signal_needs_metadata_updates = True
    always_replace_on_check_failed = True

    def __init__(self, name: str, definition: Definition, stack: StackView) -> None:
        self.name, self.t, self.stack = name, definition, stack
        self.context: Context = stack.context
        self.resource_id: str | None = None
        self.id: str | None = stack.standing.uuid
        self.uuid: str | None = self.id
        self.action, self.status, self.status_reason = self.INIT, self.COMPLETE, ""
        self.properties = definition.properties()
        self.update_policy = definition.update_policy()
        self._physical_name = stack.standing.name
        self._data = dict(stack.standing.data)
        self._db_data = dict(stack.standing.notes)
        self._metadata = stack.standing.metadata
        self.resource_id = stack.standing.resource_id

    # what it is

    def type(self) -> str:
        return self.t.resource_type

    def has_interface(self, resource_type: str) -> bool:
        return resource_type == self.type()

    @property
    def state(self) -> tuple[str, str]:
        return self.action, self.status

    def physical_resource_name(self) -> str:
        return self._physical_name

    def physical_resource_name_or_FnGetRefId(self) -> str:  # noqa: N802 - plugins call it so
        return self._physical_name or str(self.get_reference_id())

    # what it keeps

    def resource_id_set(self, inst: str | None) -> None:
        self.resource_id = inst

    def data(self) -> dict[str, str]:
        return dict(self._data)

    def data_set(self, key: str, value: Any, redact: bool = False) -> None:  # noqa: FBT001, FBT002 - the interface's own signature
        """Keep a value for life; all are encrypted, ``redact`` or not."""
        self._data[key] = value

    def data_delete(self, key: str) -> bool:
        """Forget a value; return whether there was one."""
        return self._data.pop(key, None) is not None

    def metadata_get(self, refresh: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the interface's own signature
        return dict(self.t.metadata() if self._metadata is None else self._metadata)

    def metadata_set(self, metadata: Mapping[str, Any], merge_metadata: Any = None) -> None:
        self._metadata = dict(metadata)

    # whom it asks

    def client(self, name: str | None = None, version: str | None = None) -> Any:
        return self.client_plugin(name).client(version)

    def client_plugin(self, name: str | None = None) -> Any:
        name = name or self.default_client_name
        if name is None:
            raise ValueError(f"{type(self).__name__} names no default client")
        return self.stack.clients.client_plugin(name)

    def keystone(self) -> Any:
        return self.client("keystone")

    # what it gives

    def get_reference_id(self) -> Any:
        return self.name if self.resource_id is None else self.resource_id

    FnGetRefId = get_reference_id

    def get_attribute(self, key: str, *path: Any) -> Any:
        if key == self.SHOW:
            return self._show_resource()
        return self._resolve_attribute(key)

    def _resolve_attribute(self, name: str) -> Any:
        return None

    def _show_resource(self) -> Any:
        """Return everything that the service tells of it, where ``entity`` says whom to ask."""
        if self.resource_id is None or self.entity is None or self.default_client_name is None:
            return None
        found = getattr(self.client(), self.entity).get(self.resource_id)
        return found.to_dict() if hasattr(found, "to_dict") else dict(vars(found))

    # what happens to it; a plugin adds handle_create, check_create_complete and so on

    def validate(self) -> Any:
        """Raise, or return the text of, what is wrong beyond the schema."""
        return None

    def handle_update(
        self, json_snippet: Definition, tmpl_diff: Any, prop_diff: Mapping[str, Any]
    ) -> Any:
        if prop_diff:
            raise UpdateReplace(self.name)

    def handle_delete(self) -> Any:
        """Delete it where ``entity`` says whom to ask; return the id to wait for."""
        if self.entity is None or self.resource_id is None or self.default_client_name is None:
            return None
        with self.client_plugin().ignore_not_found:
            getattr(self.client(), self.entity).delete(self.resource_id)
            return self.resource_id
        return None

    def needs_replace_with_prop_diff(
        self, changed_properties_set: set[str], after_props: Properties, before_props: Properties
    ) -> bool:
        return False

    def add_dependencies(self, deps: Any) -> None:
        """Add nothing: what a resource needs is read off the template."""

    def __repr__(self) -> str:
        return f'{type(self).__name__} "{self.name}" [{self.resource_id}] in {self.stack!r}'
