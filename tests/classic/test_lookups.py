"""Custom constraints of plugins, beside the built-in ones."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import pytest

from stoker.classic.constraints import BaseCustomConstraint
from stoker.classic.context import Context
from stoker.classic.lookups import PluginConstraints
from stoker.errors import CloudError
from stoker.sdk.cloud import Cloud, Lookup
from tests.classic.stepping import ToyCloud

ASKED: list[str] = []


class Short(BaseCustomConstraint):
    def validate(self, value: Any, context: Context) -> bool:
        ASKED.append(value)
        return len(value) < 3


class There(BaseCustomConstraint):
    expected_exceptions = (LookupError,)

    def validate_with_client(self, client: Any, value: Any) -> None:
        if value != "there":
            raise LookupError(f"no {value}")


class Away(BaseCustomConstraint):
    def validate(self, value: Any, context: Context) -> bool:
        raise CloudError("away", service="compute", status=503)


class Wrong(BaseCustomConstraint):
    pass


class BuiltIn:
    """Answers all others: nothing is there."""

    def missing(self, lookups: list[Lookup]) -> dict[Lookup, str]:
        return dict.fromkeys(lookups, "not there")


CLASSES: dict[str, type[BaseCustomConstraint]] = {
    "my.short": Short, "my.there": There, "my.away": Away, "my.wrong": Wrong,
}  # fmt: skip


def missing(*lookups: Lookup) -> dict[Lookup, str]:
    ASKED.clear()
    cloud = cast("Cloud", ToyCloud())
    return PluginConstraints(CLASSES, BuiltIn(), cloud).missing(list(lookups))


def test_each_look_up_is_answered_by_its_own_constraint() -> None:
    good, bad = Lookup("my.short", "ab"), Lookup("my.short", "abc")
    there, other = Lookup("my.there", "there"), Lookup("nova.flavor", "m1")
    gone = Lookup("my.there", "gone")
    assert missing(good, bad, there, other, gone) == {
        bad: "Error validating value 'abc'",
        gone: "Error validating value 'gone': no gone",
        other: "not there",
    }


def test_a_value_is_asked_about_once() -> None:
    first, second = Lookup("my.short", "abc", ("a",)), Lookup("my.short", "abc", ("b",))
    assert set(missing(first, second)) == {first, second}
    assert ASKED == ["abc"]


def test_a_service_that_is_away_is_an_error_and_no_answer() -> None:
    with pytest.raises(CloudError, match="away"):
        missing(Lookup("my.away", "a"))


def test_a_constraint_that_fails_in_its_own_way_fails_the_value() -> None:
    lookup = Lookup("my.wrong", "a")
    assert "my.wrong could not be checked: Wrong says neither" in missing(lookup)[lookup]


class Getter(BaseCustomConstraint):
    resource_client_name: ClassVar[str] = "nova"
    resource_getter_name: ClassVar[str] = "get_keypair"


def test_a_constraint_may_just_name_a_client_and_its_getter() -> None:
    class Plugin:
        def get_keypair(self, value: str) -> None:
            ASKED.append(value)

    class Clients:
        def client_plugin(self, name: str) -> Plugin:
            ASKED.append(name)
            return Plugin()

    ASKED.clear()
    Getter().validate_with_client(Clients(), "mine")
    assert ASKED == ["nova", "mine"]
