"""An engine's window: what may be asked through it, and what may be seen of it from outside."""

from __future__ import annotations

import base64
import logging
from typing import Any

import pytest

from stoker.errors import Bug, StokerError, Unavailable
from stoker.rpc.bearer import Window, pack, unpack, verbs
from stoker.rpc.codec import VERSION
from stoker.rpc.failure import heard
from stoker.store.seal import KEY_BYTES, Sealer, WrongKey
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import CreateStack, Goal, StackRef
from tests.e2e.secret import found_in

SEALER = Sealer(b"k" * KEY_BYTES)
TOKEN = "a-token-that-opens-everything"
PASSWORD = "a-password-that-does-so-too"
ANN = Caller("u", "ann", "p", "demo", frozenset({"member"}), TOKEN, login="ann", password=PASSWORD)


class Stacks:
    """Use cases that say what they were asked, or break."""

    def create(self, caller: Caller, what: CreateStack) -> StackRef:
        assert caller == ANN
        return StackRef("1", what.name, caller.project_id)

    def template(self, _caller: Caller, stack: StackRef) -> dict[str, Any]:
        raise ZeroDivisionError(f"something about {stack.name}")

    def secret(self) -> str:
        raise AssertionError("this is not of the protocol")


def ask(verb: str, *arguments: Any, noun: str = "stacks", **options: Any) -> Any:
    """Ask as an API does, and return or raise what it would."""
    asked = {"noun": noun, "verb": verb, "arguments": list(arguments), "options": options}
    said = unpack(SEALER, window().ask({}, VERSION, pack(SEALER, asked)))
    if "error" in said:
        raise heard(said)
    return said["answer"]


def window() -> Window:
    return Window({"stacks": Stacks(), "catalog": object()}, SEALER)


def test_a_request_reaches_the_use_case_and_its_answer_comes_back() -> None:
    assert ask("create", ANN, CreateStack("web", Goal({}))) == StackRef("1", "web", "p")
    assert ask("create", ANN, what=CreateStack("web", Goal({}))) == StackRef("1", "web", "p")


@pytest.mark.parametrize("verb", ["secret", "__init__", "_create", "no_such"])
def test_nothing_is_called_but_use_cases(verb: str) -> None:
    with pytest.raises(Unavailable, match="not of one version"):
        ask(verb)
    with pytest.raises(Unavailable, match="not of one version"):
        ask("create", noun="engine")


def test_another_version_is_told_so() -> None:
    said = unpack(SEALER, window().ask({}, VERSION + 1, ""))
    assert said["error"] == "Unavailable"


def test_what_breaks_is_told_to_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(Bug, match="the engine's log") as raised:
        ask("template", ANN, StackRef("1", "web", "p"))
    assert "something about web" in caplog.text
    assert "something about web" not in str(raised.value)


@pytest.mark.parametrize("secret", [TOKEN, PASSWORD])
def test_a_token_or_a_password_is_not_to_be_seen_in_what_crosses(secret: str) -> None:
    packed = pack(SEALER, {"arguments": [ANN]})
    assert unpack(SEALER, packed) == {"arguments": [ANN]}
    assert found_in({"packed": packed.encode(), "sealed": base64.b64decode(packed)}, [secret]) == []


def test_who_has_another_key_is_not_understood() -> None:
    strange = pack(Sealer(b"x" * KEY_BYTES), {"noun": "stacks"})
    said = unpack(SEALER, window().ask({}, VERSION, strange))
    assert isinstance(heard(said), StokerError)
    with pytest.raises(WrongKey):
        unpack(SEALER, strange)


def test_the_use_cases_are_those_of_the_protocols() -> None:
    assert {"create", "list", "show", "update", "delete", "signal"} <= verbs("stacks")
    assert {"types", "type_schema"} <= verbs("catalog")
