"""Every fault says what to do: the tables are walked, and the texts are read."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stoker.api.cfn
from stoker.api import faults, remedies
from stoker.api.cfn.refused import REMEDIES, Refused
from stoker.errors import (
    Bug,
    CloudError,
    CloudNotFound,
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    LimitExceeded,
    MissingCredential,
    NotFound,
    Problem,
    StokerError,
    Unavailable,
    Unfetched,
    Unsupported,
    UserError,
    WrongCredential,
)
from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

STACK = f"/v1/{PROJECT}/stacks/cap/{ID}"
VERBS = {
    "Ask", "Check", "Correct", "Create", "Do", "Get", "Give", "Keep", "Leave", "List", "Name",
    "Put", "Send", "Set", "Sign", "Take", "Tell", "Use", "Wait",
}  # fmt: skip
ERRORS: list[StokerError] = [
    *(Invalid([Problem("no good", kind=kind)]) for kind in Kind),
    *(NotFound(kind, "x") for kind in remedies.OF_MISSING),
    NotFound("thing", "x"),
    LimitExceeded("too much"),
    Forbidden("not you"),
    Conflict("busy"),
    Unsupported("cannot"),
    MissingCredential("X-Auth-Key"),
    WrongCredential("not his"),
    UserError("no"),
    Unavailable("away"),
    CloudError("no", service="compute", status=403),
    CloudError("away", service="compute"),
    CloudError("later", service="compute", status=HTTPStatus.TOO_MANY_REQUESTS),
    CloudNotFound("gone", service="compute", status=404),
]
TEXTS = {
    *remedies.BY_STATUS.values(),
    *remedies.BY_KIND.values(),
    *remedies.OF_MISSING.values(),
    *(text for _, text in remedies.BY_ERROR),
    *REMEDIES.values(),
    remedies.REFUSED,
}


@pytest.mark.parametrize("text", sorted(TEXTS))
def test_a_remedy_is_a_sentence_that_tells_somebody_to_do_something(text: str) -> None:
    assert text.split(maxsplit=1)[0] in VERBS
    assert re.fullmatch(r"[^.]*(\.[a-z][^.]*)*\.", text), "one sentence"
    assert len(text) < 100


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{type(error).__name__} {error}")
def test_every_error_is_told_with_what_to_do(
    call: Client, stacks: FakeStacks, error: StokerError
) -> None:
    stacks.error = error
    answer = call("GET", STACK)
    assert answer.json["remedy"] == remedies.remedy_of(error) in TEXTS | {remedies._MISSING}  # noqa: SLF001 - the last row


def test_every_error_that_can_be_told_is_in_this_test() -> None:
    told = {type(error) for error in ERRORS}
    hidden = {Bug, Unfetched}  # a fault of ours, and what is always told as something else
    every = {*StokerError.__subclasses__(), *UserError.__subclasses__()}
    assert told | hidden >= {each for each in every if each.__module__ == StokerError.__module__}


def test_every_status_and_kind_of_the_tables_has_one() -> None:
    assert remedies.BY_STATUS.keys() == faults._TITLES.keys()  # noqa: SLF001 - the table itself
    assert remedies.BY_KIND.keys() == set(Kind)
    assert remedies.OF_MISSING.keys() >= faults._MISSING.keys()  # noqa: SLF001 - as above


def test_a_path_that_means_nothing_and_a_method_that_is_not_there_say_what_to_do(
    call: Client,
) -> None:
    for method, path in (
        ("GET", "/nowhere"),
        ("GET", f"/v1/{PROJECT}/x"),
        ("PATCH", "/v1/a/stacks"),
    ):
        answer = call(method, path)
        assert answer.json["remedy"] == remedies.BY_STATUS[answer.status]


def test_every_code_of_the_other_api_has_one() -> None:
    (folder,) = stoker.api.cfn.__path__
    sources = [path.read_text() for path in Path(folder).glob("*.py")]
    written = {code for text in sources for code in re.findall(r'Refused\(\s*"(\w+)"', text)}
    assert written <= REMEDIES.keys()
    assert Refused("ValidationError", "no", "Do it.").remedy == "Do it."
