"""An installation without a cloud whose stacks stand in stacks, and what a request asks of it.

Rule: nothing is at work while a request is served, so that every statement is the request's own.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
import yaml

from stoker.app.installation import Parts, Plan
from stoker.engine.settings import Settings
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES
from stoker.store.tables import stack
from tests.api.fake import Client
from tests.replay.exchange import PROJECT
from tests.replay.site import Access

if TYPE_CHECKING:
    from collections.abc import Iterator
    from wsgiref.types import WSGIApplication

    from stoker.clouds.connect import Clouds
    from tests.api.fake import Answer

SECONDS: Final = 30.0
SETTINGS: Final = Settings(enable_stack_abandon=True, enable_stack_adopt=True, threads=8)
_FRAMES: Final = ("BEGIN", "PRAGMA")
"""What begins a transaction on SQLite alone, where it costs no way to a server."""

_RANDOM: Final = {"type": "OS::Heat::RandomString"}
LEAF: Final = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "x": _RANDOM,
        "y": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_attr": ["x", "value"]}},
        },
    },
    "outputs": {"value": {"value": {"get_attr": ["y", "value"]}}},
}
MIDDLE: Final = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "leaf": {"type": "leaf.yaml"},
        "pair": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": _RANDOM},
        },
    },
    "outputs": {
        "value": {"value": {"get_attr": ["leaf", "value"]}},
        "pair": {"value": {"get_attr": ["pair", "value"]}},
    },
}
TOP: Final = {
    "heat_template_version": "2021-04-16",
    "parameters": {"p": {"type": "string", "default": "d"}},
    "resources": {
        "a": _RANDOM,
        "b": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_attr": ["a", "value"]}},
            "metadata": {"of": {"get_attr": ["a", "value"]}},
        },
        "middle": {"type": "middle.yaml"},
        "other": {"type": "middle.yaml"},
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "middle.yaml"}},
        },
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
    },
    "outputs": {
        "a": {"value": {"get_attr": ["a", "value"]}},
        "deep": {"value": {"get_attr": ["middle", "value"]}},
        "pair": {"value": {"get_attr": ["other", "pair"]}},
        "all": {"value": {"get_attr": ["group", "value"]}},
        "refs": {"value": {"get_attr": ["group", "refs"]}},
        "first": {"value": {"get_attr": ["group", "resource.0.pair"]}},
        "id": {"value": {"get_resource": "group"}},
    },
}
FILES: Final = {"middle.yaml": MIDDLE, "leaf.yaml": LEAF}


@dataclass
class Asked:
    """The statements that a request has sent."""

    statements: list[str] = field(default_factory=list)


class Open(Access):
    """Believes who says who he is."""

    def door(self, api: WSGIApplication, _clouds: Clouds) -> WSGIApplication:
        return api


class House:
    """One deep stack (``deep``), some others, and what else the routes are about."""

    def __init__(self, url: str) -> None:
        self._parts = Parts(Plan(url, b"k" * KEY_BYTES, Open(), SETTINGS))
        self.database = self._parts.database
        upgrade(self.database)
        self._engine = self._parts.engine(alone=True)
        self._client = Client(self._parts.application(self._engine.wake))
        self._engine.start()
        try:
            self.known = self._furnish()
        finally:
            self._engine.stop()

    def close(self) -> None:
        """Close the database."""
        self._parts.close()

    def __call__(self, verb: str, path: str, body: Any = None) -> Answer:
        return self._client(verb, f"/v1/{PROJECT}{path}", body)

    def as_admin(self, verb: str, path: str) -> Answer:
        """Send a request of an administrator."""
        return replace(self._client, roles="admin,member,reader")(verb, f"/v1/{PROJECT}{path}")

    @contextmanager
    def counted(self) -> Iterator[Asked]:
        """Give the statements that are sent meanwhile."""
        asked = Asked()

        def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if not statement.startswith(_FRAMES):
                asked.statements.append(statement)

        sa.event.listen(self.database.engine, "before_cursor_execute", note)
        try:
            yield asked
        finally:
            sa.event.remove(self.database.engine, "before_cursor_execute", note)

    def _furnish(self) -> dict[str, str]:
        files = {name: text(each) for name, each in FILES.items()}
        body = {"stack_name": "deep", "template": TOP, "files": files, "tags": "t1,t2"}
        deep = self._made("/stacks", body)["stack"]["id"]
        for number in range(5):
            plain = {"stack_name": f"s{number}", "template": LEAF, "tags": "t"}
            other = self._made("/stacks", plain)["stack"]["id"]
        self.rest()
        at = f"/stacks/deep/{deep}"
        snapshot = self._made(f"{at}/snapshots", {"name": "kept"})["id"]
        self.rest()
        config = {"name": "c", "group": "script", "config": "echo"}
        config_id = self._made("/software_configs", config)["software_config"]["id"]
        deployment = {"config_id": config_id, "server_id": "server", "action": "CREATE"}
        made = self._made("/software_deployments", deployment)["software_deployment"]
        event = self("GET", f"{at}/resources/a/events").json["events"][0]["id"]
        nested = self("GET", f"{at}/resources/middle").json["resource"]["physical_resource_id"]
        return {
            "stack": at,
            "deep": deep,
            "plain": f"/stacks/s4/{other}",
            "snapshot": snapshot,
            "config": config_id,
            "deployment": made["id"],
            "event": event,
            "nested": nested,
            "middle": self("GET", f"/stacks/{nested}").headers["location"].split(PROJECT)[1],
        }

    def _made(self, path: str, body: Any) -> Any:
        answer = self("POST", path, body)
        assert answer.status < 300, answer.data
        return answer.json

    def rest(self) -> None:
        """Return once no stack is at work."""
        until = time.monotonic() + SECONDS
        at_work = sa.select(stack.c.name).where(stack.c.status == "IN_PROGRESS")
        while True:
            with self.database.read() as connection:
                if not (names := connection.scalars(at_work).all()):
                    return
            assert time.monotonic() < until, names
            time.sleep(0.02)


def text(template: dict[str, Any]) -> str:
    """Return a template as a file has it."""
    return str(yaml.safe_dump(template))
