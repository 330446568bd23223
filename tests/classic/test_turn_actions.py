"""A plugin's check, suspend and resume, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import pytest

from stoker.classic.border import PluginFailed
from stoker.classic.exception import ResourceInError
from stoker.classic.properties import Schema
from stoker.classic.resource import Resource
from stoker.errors import CloudError
from tests.classic.stepping import Life

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud

BUSY = CloudError("busy (HTTP 409)", service="compute", status=409)
CALLS: list[Any] = []


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()


class Sleeper(Resource):
    """``asleep`` is where its server is; it refuses what it is there for already."""

    asleep: ClassVar[list[str]] = []
    meant: ClassVar[CloudError] = BUSY
    properties_schema: ClassVar[dict[str, Schema]] = {}

    def handle_create(self) -> None:
        self.resource_id_set("id-1")

    def handle_suspend(self) -> None:
        CALLS.append("suspend")
        if self.asleep:
            session: Any = self.context.keystone_session
            session.meant = self.meant
            raise ValueError("told by a client")
        self.asleep.append("id-1")

    def check_suspend_complete(self, handle: Any) -> bool:
        CALLS.append("check suspend")
        return "id-1" in self.asleep

    def handle_check(self) -> None:
        CALLS.append("check")
        if self.asleep:
            raise ResourceInError(resource_status="SUSPENDED", status_reason="asleep")


def sleeper(*asleep: str) -> Life:
    Sleeper.asleep[:] = asleep
    life = Life(Sleeper)
    life.run("create")
    return life


def test_a_plugin_has_the_actions_that_it_handles() -> None:
    kind = sleeper().kind
    assert [kind.supports(verb) for verb in ("check", "suspend", "resume")] == [True, True, False]


def test_a_check_tells_what_the_plugin_finds() -> None:
    sleeper().run("check")
    with pytest.raises(PluginFailed, match="Went to status SUSPENDED") as caught:
        sleeper("id-1").run("check")
    assert caught.value.kind == "ResourceInError"


def test_a_suspend_that_was_cut_off_is_begun_again_and_finds_itself_done() -> None:
    life = sleeper()
    kind, at = life.kind, life.at({})
    kind.suspend(at, cast("Cloud", life.cloud))  # its result is lost with its process
    life.restart()
    life.run("suspend")
    assert CALLS == ["suspend", "suspend", "check suspend", "check suspend"]


@pytest.mark.parametrize(
    ("asleep", "meant"),
    [
        pytest.param("another", BUSY, id="it is not done"),
        pytest.param("id-1", CloudError("no", service="compute", status=403), id="no conflict"),
    ],
)
def test_any_other_refusal_of_a_suspend_is_one(
    monkeypatch: pytest.MonkeyPatch, asleep: str, meant: CloudError
) -> None:
    life = sleeper(asleep)
    monkeypatch.setattr(Sleeper, "meant", meant)
    with pytest.raises(CloudError) as caught:
        life.run("suspend")
    assert caught.value is meant
