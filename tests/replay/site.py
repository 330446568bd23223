"""An installation without any cloud, in this process, where what was captured is sent again.

Rule: it answers as one that whoever captured them had: Heat's defaults, a project of its own,
the same host.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn
from uuid import UUID

import sqlalchemy as sa

from stoker.api.account import protect_account
from stoker.app.installation import Parts, Plan
from stoker.clouds.connect import CloudSettings
from stoker.errors import Bug
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES
from stoker.store.tables import stack
from stoker.usecases.caller import Caller
from tests.api.fake import Client
from tests.replay.exchange import PROJECT, Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any
    from wsgiref.types import WSGIApplication

    from stoker.clouds.connect import Clouds
    from stoker.engine.settings import Settings
    from stoker.store.database import Database
    from tests.replay.exchange import Exchange

WHO = Caller("u1", "demo", PROJECT, "demo", frozenset({"member", "reader"}))
TOKEN = "<token>"
KEYSTONE = "http://127.0.0.1:5000/v3"
SECONDS = 30.0
CREATED = 201


class Nowhere:
    """Credentials of no cloud: nothing here may ask for one."""

    @contextmanager
    def delegated(self, _caller: Caller) -> Iterator[None]:
        yield None

    def serves(self, *_: object, as_it_is: bool = False) -> bool:
        del as_it_is
        return True

    def is_lost(self, *_: object) -> bool:
        return False

    def constraints(self, _caller: Caller) -> NoReturn:
        raise Bug("a cloud is asked for")

    cloud_for = constraints

    def cloud_of(self, *_: object) -> Any:
        """Return what the types that need no cloud never touch."""
        return None

    def tend(self) -> None:
        """Have nothing to take back."""

    release_unused = tend


class Access:
    """Lets in whoever has the token of the captures."""

    def settings(self, engine: Settings) -> CloudSettings:
        del engine
        return CloudSettings()

    def credentials(self, _database: Database, _clouds: Clouds) -> Nowhere:
        return Nowhere()

    def door(self, api: WSGIApplication, _clouds: Clouds) -> WSGIApplication:
        return protect_account(api, {TOKEN: WHO}.get, KEYSTONE)

    def prove(self, _clouds: Clouds) -> NoReturn:
        raise Bug("signatures are checked elsewhere")


class Site:
    """An installation, and which of its ids stand for which of the captured ones."""

    def __init__(self, file: Path, settings: Settings) -> None:
        self._parts = Parts(Plan(f"sqlite:///{file}", b"k" * KEY_BYTES, Access(), settings))
        upgrade(self._parts.database)
        self._engine = self._parts.engine(alone=True)
        self._client = Client(self._parts.application(self._engine.wake))
        self._ids: dict[str, str] = {}
        self._engine.start()

    def close(self) -> None:
        """End it."""
        self._engine.stop()
        self._parts.close()

    def neighbour(self) -> None:
        """Make a stack beside those of the captures, as there was one."""
        template = {"heat_template_version": "2021-04-16"}
        body = json.dumps({"stack_name": "s1", "template": template}).encode()
        headers = {"x-auth-token": TOKEN, "content-type": "application/json"}
        assert self.call("POST", f"/v1/{PROJECT}/stacks", body, headers).status == CREATED

    def send(self, exchange: Exchange) -> Answer:
        """Send a captured request with our ids, and learn those of the answer."""
        body = None if exchange.body is None else self._ours(exchange.body).encode()
        answer = self.call(exchange.method, self._ours(exchange.path), body, exchange.headers)
        self._learn(exchange.answer.json, answer.json)
        return answer

    def call(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        """Send a request."""
        environ = {"HTTP_X_AUTH_TOKEN": headers.get("x-auth-token", "")}
        if "accept" in headers:
            environ["HTTP_ACCEPT"] = headers["accept"]
        if "content-type" in headers:
            environ["CONTENT_TYPE"] = headers["content-type"]
        said = self._client(method, path, body, **environ)
        return Answer(said.status, said.headers, said.data.decode())

    def rest(self) -> None:
        """Return once no stack is at work, nor about to be rolled back."""
        until = time.monotonic() + SECONDS
        at_work = sa.or_(stack.c.status == "IN_PROGRESS", stack.c.rollback_due.is_not(None))
        while True:
            with self._parts.database.read() as connection:
                busy = connection.execute(sa.select(stack.c.name, stack.c.action).where(at_work))
                if not (names := busy.all()):
                    return
            assert time.monotonic() < until, names
            time.sleep(0.02)

    def _ours(self, text: str) -> str:
        for theirs, ours in self._ids.items():
            text = text.replace(theirs, ours)
        return text

    def _learn(self, theirs: Any, ours: Any) -> None:
        if isinstance(theirs, dict) and isinstance(ours, dict):
            for key in theirs.keys() & ours.keys():
                self._learn(theirs[key], ours[key])
        elif isinstance(theirs, list) and isinstance(ours, list):
            for one, other in zip(theirs, ours, strict=False):
                self._learn(one, other)
        elif _is_id(theirs) and _is_id(ours):
            self._ids.setdefault(theirs, ours)


def _is_id(value: Any) -> bool:
    if not isinstance(value, str) or len(value) != len(str(UUID(int=0))):
        return False
    try:
        return str(UUID(value)) == value
    except ValueError:
        return False
