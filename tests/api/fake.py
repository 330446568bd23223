"""Stand-ins at the API's border: use cases that remember what they were asked, and a client."""

from __future__ import annotations

import builtins
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from stoker.errors import Conflict, NotFound
from stoker.usecases.software import ConfigView, DeploymentView, NewConfig
from stoker.usecases.stacks import (
    CreatePreview,
    EngineView,
    EventView,
    OutputView,
    ResourcePreview,
    ResourceView,
    SnapshotView,
    StackRef,
    StackView,
    TypeView,
    UpdatePreview,
)

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

PROJECT = "2e74bf7f94e84993905a8af69f4bff2d"
ID = "92b2f238-3644-483b-b749-e3a42dbdf2c2"
STACK = StackRef(ID, "cap", PROJECT)
CHILD = StackRef("1ccf5656-d32d-47e7-bede-b3126be21fa1", "cap-grp", PROJECT)
EVENT = "d7c0d48d-8a65-41b5-93ea-76bc8f2e2d37"
TIME = datetime(2026, 11, 29, 12, 39, 24, 987654, tzinfo=UTC)
TEMPLATE = {"heat_template_version": "2021-04-16", "resources": {}}

A_STACK = StackView(
    id=ID,
    name="cap",
    project_id=PROJECT,
    action="CREATE",
    status="COMPLETE",
    reason="Stack CREATE completed successfully",
    created_at=TIME,
    updated_at=None,
    deleted_at=None,
    owner="demo",
    parent_id=None,
    description="capture",
    tags=("t1", "t2"),
    timeout_mins=30,
    stack_user_project_id="c6ce1841705e4b539c3f0ce4c4ea3438",
    parameters={"OS::stack_id": ID, "note": "hi", "secret": "******"},
    outputs=(OutputView("v", "the value", "mOJ8Ygj2n3dH"),),
)
A_RESOURCE = ResourceView(
    name="rs",
    stack=STACK,
    type="OS::Heat::RandomString",
    physical_id="cap-rs-yhrleih3pisl",
    action="CREATE",
    status="COMPLETE",
    reason="state changed",
    created_at=TIME,
    updated_at=TIME,
    required_by=("val",),
    attributes={"value": "mOJ8Ygj2n3dH"},
)
AN_EVENT = EventView(
    id=EVENT,
    stack=STACK,
    root=None,
    time=TIME,
    resource_name="rs",
    resource_type="OS::Heat::RandomString",
    physical_id="cap-rs-yhrleih3pisl",
    action="CHECK",
    status="COMPLETE",
    reason="fine",
    properties={"length": 12},
)
A_PLANNED_CHILD = StackRef("None", "cap-grp", PROJECT)
A_PLAN = ResourcePreview(
    name="rs",
    stack=StackRef("None", "cap", PROJECT),
    type="OS::Heat::RandomString",
    required_by=("val",),
    attributes={"value": None},
    properties={"length": 12, "salt": None},
)
A_SNAPSHOT = SnapshotView(
    id="aefb98e9-d5b4-43fb-a56b-1dd879070661",
    name="snap1",
    action="CREATE",
    status="COMPLETE",
    reason="Stack SNAPSHOT completed successfully",
    created_at=TIME,
    data={"name": "cap", "resources": {}},
)
AN_ENGINE = EngineView(
    id="1dd806a8-3a70-4179-a25d-ad86adb1e645",
    host="vm",
    hostname="vm",
    binary="stoker-engine",
    topic="engine",
    report_interval=2,
    created_at=TIME,
    updated_at=TIME,
    deleted_at=None,
    is_up=True,
)

A_CONFIG = ConfigView(
    id="439f97e7-4646-4124-a154-00d5a179f6ef",
    project_id=PROJECT,
    name="cfg1",
    group="script",
    created_at=TIME,
    content=NewConfig(
        name="cfg1",
        group="script",
        config="#!/bin/sh\necho hi\n",
        inputs=({"name": "foo", "type": "String", "default": "d"},),
        outputs=({"name": "result", "type": "String", "error_output": False},),
        options={"o": 1},
    ),
)
A_DEPLOYMENT = DeploymentView(
    id="2149d8a2-dfab-4507-87b7-a0f75b767669",
    config_id=A_CONFIG.id,
    server_id="2c77c131-e80c-476f-9a6c-e95a271802d0",
    input_values={"foo": "bar"},
    output_values=None,
    action="CREATE",
    status="IN_PROGRESS",
    status_reason=None,
    created_at=TIME,
    updated_at=None,
)


@dataclass
class FakeStacks:
    """One stack; ``asked`` holds (verb, arguments...) of each call, ``error`` is raised instead."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)
    error: BaseException | None = None
    stack: StackView = A_STACK
    resource_list: tuple[ResourceView, ...] = (A_RESOURCE,)
    event_list: tuple[EventView, ...] = (AN_EVENT,)
    changes: tuple[ResourcePreview, ...] = ()
    stored_environment: dict[str, Any] = field(
        default_factory=lambda: {"parameters": {"note": "hi"}}
    )
    described: dict[str, Any] = field(
        default_factory=lambda: {"Description": "capture", "Parameters": {}, "Environment": {}}
    )

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error

    def create(self, caller: Any, what: Any) -> StackRef:
        self._ask("create", caller, what)
        if what.name == self.stack.name:
            raise Conflict(f"The Stack ({what.name}) already exists.")
        return StackRef(ID, what.name, caller.project_id)

    def update(self, caller: Any, stack: StackRef, what: Any) -> None:
        self._ask("update", caller, self._known(stack), what)

    def delete(self, caller: Any, stack: StackRef) -> None:
        self._ask("delete", caller, self._known(stack))

    def cancel(self, caller: Any, stack: StackRef) -> None:
        self._ask("cancel", caller, self._known(stack))

    def undo(self, caller: Any, stack: StackRef) -> None:
        self._ask("undo", caller, self._known(stack))

    def act(self, caller: Any, stack: StackRef, action: Any) -> None:
        self._ask("act", caller, self._known(stack), action)

    def mark(self, caller: Any, stack: StackRef, resource: str, what: Any) -> None:
        self._ask("mark", caller, self._known(stack), resource, what)

    def signal(self, caller: Any, stack: StackRef, resource: str, details: Any) -> None:
        self._ask("signal", caller, self._known(stack), resource, details)

    def snapshot(self, caller: Any, stack: StackRef, name: str | None) -> SnapshotView:
        self._ask("snapshot", caller, self._known(stack), name)
        return replace(A_SNAPSHOT, name=name, status="IN_PROGRESS", reason="")

    def snapshots(self, caller: Any, stack: StackRef) -> builtins.list[SnapshotView]:
        self._ask("snapshots", caller, self._known(stack))
        return [A_SNAPSHOT]

    def snapshot_of(self, caller: Any, stack: StackRef, snapshot_id: str) -> SnapshotView:
        self._ask("snapshot_of", caller, self._known(stack), snapshot_id)
        return A_SNAPSHOT

    def forget_snapshot(self, caller: Any, stack: StackRef, snapshot_id: str) -> None:
        self._ask("forget_snapshot", caller, self._known(stack), snapshot_id)

    def restore(self, caller: Any, stack: StackRef, snapshot_id: str) -> None:
        self._ask("restore", caller, self._known(stack), snapshot_id)

    def export(self, caller: Any, stack: StackRef) -> dict[str, Any]:
        self._ask("export", caller, self._known(stack))
        return {"name": "cap"}

    def abandon(self, caller: Any, stack: StackRef) -> dict[str, Any]:
        self._ask("abandon", caller, self._known(stack))
        return {"name": "cap", "resources": {}}

    def preview_create(self, caller: Any, what: Any) -> CreatePreview:
        self._ask("preview_create", caller, what)
        member = replace(A_PLAN, name="0", stack=A_PLANNED_CHILD, parent_resource="grp")
        view = replace(self.stack, id="None", name=what.name, tags=what.tags)
        return CreatePreview(view, ((member,), A_PLAN))

    def preview_update(
        self, caller: Any, stack: StackRef, what: Any, *, show_nested: bool = False
    ) -> UpdatePreview:
        self._ask("preview_update", caller, self._known(stack), what, show_nested)
        return UpdatePreview(self.changes, "v1")

    def engines(self, caller: Any) -> builtins.list[EngineView]:
        self._ask("engines", caller)
        return [AN_ENGINE, replace(AN_ENGINE, deleted_at=TIME, is_up=False)]

    def locate(self, caller: Any, name_or_id: str) -> StackRef:
        self._ask("locate", caller, name_or_id)
        if name_or_id not in (self.stack.name, self.stack.id):
            raise NotFound("Stack", name_or_id)
        return STACK

    def holder(self, caller: Any, physical_id: str) -> StackRef:
        self._ask("holder", caller, physical_id)
        return STACK

    def list(self, caller: Any, query: Any) -> list[StackView]:
        self._ask("list", caller, query)
        return [self.stack]

    def count(self, caller: Any, query: Any) -> int:
        self._ask("count", caller, query)
        return 7

    def show(self, caller: Any, stack: StackRef, *, resolve_outputs: bool = True) -> StackView:
        self._ask("show", caller, self._known(stack), resolve_outputs)
        return self.stack if resolve_outputs else replace(self.stack, outputs=None)

    def template(self, caller: Any, stack: StackRef) -> dict[str, Any]:
        self._ask("template", caller, self._known(stack))
        return dict(TEMPLATE)

    def environment(self, caller: Any, stack: StackRef) -> dict[str, Any]:
        self._ask("environment", caller, self._known(stack))
        return self.stored_environment

    def files(self, caller: Any, stack: StackRef) -> dict[str, str]:
        self._ask("files", caller, self._known(stack))
        return {"a.txt": "hello file"}

    def outputs(self, caller: Any, stack: StackRef) -> builtins.list[OutputView]:
        self._ask("outputs", caller, self._known(stack))
        return builtins.list(self.stack.outputs or ())

    def output(self, caller: Any, stack: StackRef, key: str) -> OutputView:
        self._ask("output", caller, self._known(stack), key)
        for output in self.stack.outputs or ():
            if output.key == key:
                return output
        raise NotFound("Output", key)

    def resources(self, caller: Any, stack: StackRef, query: Any) -> builtins.list[ResourceView]:
        self._ask("resources", caller, self._known(stack), query)
        return builtins.list(self.resource_list)

    def resource(
        self, caller: Any, stack: StackRef, name: str, with_attr: Sequence[str] = ()
    ) -> ResourceView:
        self._ask("resource", caller, self._known(stack), name, with_attr)
        for resource in self.resource_list:
            if resource.name == name:
                return resource
        raise NotFound("Resource", name)

    def metadata(self, caller: Any, stack: StackRef, name: str) -> dict[str, Any]:
        self._ask("metadata", caller, self._known(stack), name)
        return {"a": "b"}

    def events(self, caller: Any, stack: StackRef, query: Any) -> builtins.list[EventView]:
        self._ask("events", caller, self._known(stack), query)
        return builtins.list(self.event_list)

    def resource_events(
        self, caller: Any, stack: StackRef, name: str, query: Any
    ) -> builtins.list[EventView]:
        self._ask("resource_events", caller, self._known(stack), name, query)
        return [event for event in self.event_list if event.resource_name == name]

    def event(self, caller: Any, stack: StackRef, name: str, event_id: str) -> EventView:
        self._ask("event", caller, self._known(stack), name, event_id)
        if event_id != EVENT:
            raise NotFound("Event", event_id)
        return AN_EVENT

    def validate(self, caller: Any, goal: Any, *, show_nested: bool = False) -> dict[str, Any]:
        self._ask("validate", caller, goal, show_nested)
        return self.described

    def _known(self, stack: StackRef) -> StackRef:
        if stack.id not in (self.stack.id, CHILD.id):
            raise NotFound("Stack", stack.name)
        return stack


class FakeSoftware:
    """One config and one deployment; as FakeStacks."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.error: BaseException | None = None

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error

    def create_config(self, caller: Any, what: Any) -> ConfigView:
        self._ask("create_config", caller, what)
        return replace(A_CONFIG, name=what.name, group=what.group, content=what)

    def configs(self, caller: Any, query: Any) -> list[ConfigView]:
        self._ask("configs", caller, query)
        return [replace(A_CONFIG, content=None)]

    def config(self, caller: Any, config_id: str) -> ConfigView:
        self._ask("config", caller, config_id)
        return A_CONFIG

    def delete_config(self, caller: Any, config_id: str) -> None:
        self._ask("delete_config", caller, config_id)

    def create_deployment(self, caller: Any, what: Any) -> DeploymentView:
        self._ask("create_deployment", caller, what)
        return A_DEPLOYMENT

    def deployments(self, caller: Any, server_id: str | None) -> list[DeploymentView]:
        self._ask("deployments", caller, server_id)
        return [A_DEPLOYMENT]

    def deployment(self, caller: Any, deployment_id: str) -> DeploymentView:
        self._ask("deployment", caller, deployment_id)
        return A_DEPLOYMENT

    def update_deployment(self, caller: Any, deployment_id: str, what: Any) -> DeploymentView:
        self._ask("update_deployment", caller, deployment_id, what)
        return replace(A_DEPLOYMENT, status="COMPLETE", updated_at=TIME)

    def delete_deployment(self, caller: Any, deployment_id: str) -> None:
        self._ask("delete_deployment", caller, deployment_id)

    def server_configs(self, caller: Any, server_id: str) -> list[ConfigView]:
        self._ask("server_configs", caller, server_id)
        return [A_CONFIG]


class FakeCatalog:
    """Three types, one template version."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def types(self, caller: Any, query: Any) -> list[TypeView]:
        self.asked.append(("types", caller, query))
        names = ("OS::Heat::Value", "OS::Keystone::User", "OS::Nova::Flavor")
        return [TypeView(name, f"What {name} is.") for name in names]

    def type_schema(self, caller: Any, name: str) -> dict[str, Any]:
        self.asked.append(("type_schema", caller, name))
        if name != "OS::Heat::Value":
            raise NotFound("Resource Type", name)
        return {"resource_type": name, "properties": {}, "attributes": {}, "description": "Keeps."}

    def type_template(self, caller: Any, name: str, form: str) -> dict[str, Any]:
        self.asked.append(("type_template", caller, name, form))
        return {"form": form}

    def template_versions(self) -> list[dict[str, Any]]:
        return [{"version": "heat_template_version.2021-04-16", "type": "hot", "aliases": []}]

    def functions(self, version: str, *, with_conditions: bool) -> list[dict[str, Any]]:
        self.asked.append(("functions", version, with_conditions))
        return [{"functions": "get_attr", "description": "Resolves an attribute."}]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def error(self) -> Any:
        return self.json["error"]


@dataclass(frozen=True)
class Client:
    """Speaks WSGI to an application, as a user with ``roles`` whose token has been checked."""

    app: WSGIApplication
    roles: str = "member,reader"
    project: str = PROJECT
    environ: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, verb: str, url: str, body: Any = None, **environ: Any) -> Answer:
        raw = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        path, _, query = url.partition("?")
        told: list[Any] = []
        full: dict[str, Any] = {
            "REQUEST_METHOD": verb,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(path, "latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8004",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "127.0.0.1:8004",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(raw),
            "wsgi.errors": io.StringIO(),
            **self._identity(),
            **self.environ,
            **environ,
        }
        if body is not None:
            full.setdefault("CONTENT_LENGTH", str(len(raw)))
            full.setdefault("CONTENT_TYPE", "application/json")

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Any:
            told[:] = [status, headers]

        data = b"".join(self.app(full, start))
        status, headers = told
        return Answer(int(status[:3]), {key.lower(): value for key, value in headers}, data)

    def _identity(self) -> dict[str, str]:
        return {
            "HTTP_X_IDENTITY_STATUS": "Confirmed",
            "HTTP_X_USER_ID": "u1",
            "HTTP_X_USER_NAME": "demo",
            "HTTP_X_PROJECT_ID": self.project,
            "HTTP_X_PROJECT_NAME": "demo",
            "HTTP_X_ROLES": self.roles,
            "HTTP_X_AUTH_TOKEN": "secret-token",
        }
