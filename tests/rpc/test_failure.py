"""Errors that cross: each class of the tree arrives as itself, with all that it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stoker import errors
from stoker.errors import (
    Bug,
    CloudError,
    CloudNotFound,
    Invalid,
    Kind,
    MissingCredential,
    NotFound,
    Place,
    Problem,
    Refused,
    Severity,
    StokerError,
    Unavailable,
)
from stoker.rpc.codec import OtherVersion, decode, encode
from stoker.rpc.failure import FORMS, heard, told
from stoker.store.passing import Passing
from stoker.usecases import stacks

PROBLEM = Problem("bad", ("resources", 0), Place("t.yaml", 1, 2), Kind.PROPERTY)
CLOUD = {"service": "compute", "status": 403, "sent": False, "retry_after": 1.5, "code": "Quota"}
SPECIAL: dict[type[StokerError], StokerError] = {
    Invalid: Invalid([PROBLEM, Problem("worse")], [Problem("hm", severity=Severity.WARNING)]),
    NotFound: NotFound("Stack", "web"),
    MissingCredential: MissingCredential("X-Auth-Key"),
    Refused: Refused("HTTP Error 410: Gone", 410),
    CloudError: CloudError("no", **CLOUD),  # type: ignore[arg-type]  # a row of values
    CloudNotFound: CloudNotFound("gone", service="network", status=404),
}


def declared() -> set[type[StokerError]]:
    """Return the classes of the tree, and those that the use cases add."""
    every = [*vars(errors).values(), *vars(stacks).values()]
    return {e for e in every if isinstance(e, type) and issubclass(e, StokerError)}


def crossed(error: StokerError) -> StokerError:
    said: dict[str, Any] = decode(json.loads(json.dumps(encode(told(error)))))
    return heard(said)


def test_every_class_of_the_tree_has_a_form() -> None:
    assert declared() <= FORMS.keys(), "add them to stoker.rpc.failure"


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.__name__)
def test_an_error_arrives_as_itself(kind: type[StokerError]) -> None:
    error = SPECIAL[kind] if kind in SPECIAL else kind("why")
    arrived = crossed(error)
    assert type(arrived) is kind
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)


def test_one_that_is_not_listed_arrives_as_what_it_is_a_sort_of() -> None:
    arrived = crossed(Passing(None, taken_back=True))
    assert type(arrived) is Unavailable
    assert "too busy" in str(arrived)


@pytest.mark.parametrize("said", [{"error": "Newcomer"}, {"error": "NotFound", "x": 1}, {}])
def test_an_error_of_another_version_is_told_to_be_that(said: dict[str, Any]) -> None:
    with pytest.raises(OtherVersion):
        heard(said)


def test_a_bug_says_no_more_than_it_was_told() -> None:
    assert str(crossed(Bug("the engine's log says more"))) == "the engine's log says more"
