"""The CloudFormation API on use cases that only remember."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pytest

from stoker.api.cfn import RULES, application
from stoker.api.policy import Policy
from stoker.api.settings import Settings
from stoker.errors import NotFound
from stoker.usecases.change_sets import ChangeSetView, ChangeView, Execution
from stoker.usecases.stacks import Fate, StackRef
from tests.api.fake import STACK, TIME, Answer, Client, FakeStacks

FORM = "application/x-www-form-urlencoded; charset=utf-8"
CHANGE_SET = ChangeSetView(
    id="0ad9b3f2-47a8-4b5c-9b86-39d6d4e3a6f1",
    name="first",
    stack=STACK,
    is_new=False,
    execution=Execution.AVAILABLE,
    reason="",
    created_at=TIME,
    parameters={"note": "hi"},
    tags=("env=prod",),
    changes=tuple(
        ChangeView(fate, "OS::Heat::Value", None, fate, "")
        for fate in Fate
        if fate is not Fate.UNCHANGED
    ),
)


@dataclass
class FakeChangeSets:
    """One change set; as ``FakeStacks``."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)
    error: BaseException | None = None
    kept: ChangeSetView = CHANGE_SET

    def _ask(self, *what: Any) -> ChangeSetView:
        self.asked.append(what)
        if self.error is not None:
            raise self.error
        return self.kept

    def propose(self, caller: Any, what: Any) -> ChangeSetView:
        return replace(self._ask("propose", caller, what), name=what.name)

    def list(self, caller: Any, stack: str) -> list[ChangeSetView]:
        return [self._ask("list", caller, stack)]

    def show(self, caller: Any, name_or_id: str, stack: str | None) -> ChangeSetView:
        found = self._ask("show", caller, name_or_id, stack)
        if name_or_id not in (found.name, found.id):
            raise NotFound("Change set", name_or_id)
        return found

    def drop(self, caller: Any, name_or_id: str, stack: str | None) -> None:
        self._ask("drop", caller, name_or_id, stack)

    def carry_out(self, caller: Any, name_or_id: str, stack: str | None) -> StackRef:
        return self._ask("carry_out", caller, name_or_id, stack).stack


@dataclass(frozen=True)
class Said:
    """An answer of the API; ``result`` is what stands in an action's result."""

    answer: Answer

    @property
    def status(self) -> int:
        return self.answer.status

    @property
    def root(self) -> ET.Element:
        return ET.fromstring(self.answer.data)  # noqa: S314 - our own

    @property
    def result(self) -> Any:
        return plain(self.root[0])

    @property
    def error(self) -> tuple[int, str, str]:
        found = plain(self.root)["Error"]
        return self.status, found["Code"], found["Message"]


def plain(element: ET.Element) -> Any:
    """Return XML as maps, lists and texts."""
    if len(element) == 0:
        return element.text
    if all(each.tag == "member" for each in element):
        return [plain(each) for each in element]
    return {each.tag: plain(each) for each in element}


@dataclass(frozen=True)
class Caller:
    """Calls actions, as a user whose signature has been checked."""

    client: Client

    def __call__(self, action: str, **params: str) -> Said:
        named = {name.replace("_", "."): value for name, value in params.items()}
        return self.send({"Action": action, **named} if action else named)

    def send(self, params: dict[str, str], url: str = "/v1", **environ: Any) -> Said:
        body = urlencode(params).encode()
        return Said(self.client("POST", url, body, CONTENT_TYPE=FORM, **environ))


@pytest.fixture(scope="session")
def policy() -> Policy:
    return Policy(RULES)


@pytest.fixture
def change_sets() -> FakeChangeSets:
    return FakeChangeSets()


@pytest.fixture
def client(stacks: FakeStacks, change_sets: FakeChangeSets, policy: Policy) -> Client:
    return Client(application(stacks, change_sets, policy, Settings(max_template_size=2000)))


@pytest.fixture
def call(client: Client) -> Caller:
    return Caller(client)
