"""Who asks, as the headers say: a password goes further only where it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.api.settings import Settings
from stoker.api.v1 import application
from tests.api.fake import PROJECT, TEMPLATE, Client

if TYPE_CHECKING:
    from stoker.api.policy import Policy
    from stoker.usecases.caller import Caller
    from tests.api.fake import FakeCatalog, FakeSoftware, FakeStacks

BODY = {"stack_name": "new", "template": TEMPLATE}


@pytest.fixture
def ask(stacks: FakeStacks, catalog: FakeCatalog, software: FakeSoftware, policy: Policy) -> Any:
    """Return what sends a create with headers and returns who asked the use case."""

    def ask(*, reads: bool, **environ: str) -> Caller:
        settings = Settings(reads_passwords=reads)
        call = Client(application(stacks, catalog, software, policy, settings))
        answer = call("POST", f"/v1/{PROJECT}/stacks", BODY, **environ)
        assert answer.status == 201, answer.data
        caller: Caller = stacks.asked[-1][1]
        return caller

    return ask


def test_a_name_and_a_password_are_the_callers_where_they_are_needed(ask: Any) -> None:
    caller = ask(reads=True, HTTP_X_AUTH_USER="demo", HTTP_X_AUTH_KEY="pass:word ")
    assert (caller.login, caller.password) == ("demo", "pass:word ")
    assert "pass:word" not in repr(caller)


def test_elsewhere_they_are_not_read(ask: Any) -> None:
    caller = ask(reads=False, HTTP_X_AUTH_USER="demo", HTTP_X_AUTH_KEY="password")
    assert (caller.login, caller.password) == ("", "")
    assert not Settings().reads_passwords


def test_without_them_there_are_none(ask: Any) -> None:
    caller = ask(reads=True)
    assert (caller.login, caller.password) == ("", "")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_password_is_what_its_client_meant(ask: Any, encoding: str) -> None:
    """WSGI hands the bytes over as Latin-1, whichever of the two it was."""
    sent = "größe".encode(encoding).decode("latin-1")
    assert ask(reads=True, HTTP_X_AUTH_USER="demo", HTTP_X_AUTH_KEY=sent).password == "größe"
