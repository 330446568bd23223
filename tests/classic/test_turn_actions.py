"""A plugin's check, suspend and resume, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import pytest

from stoker.classic.attributes import Schema as Attribute
from stoker.classic.border import PluginFailed
from stoker.classic.exception import ResourceInError, SignalFailure
from stoker.classic.properties import Schema
from stoker.classic.resource import Resource
from stoker.errors import CloudError
from stoker.sdk.resource import Heard, Next
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


class Counted(Resource):
    """Counts its signals, as the description of the plugin interface does it."""

    properties_schema: ClassVar[dict[str, Schema]] = {}
    attributes_schema: ClassVar[dict[str, Attribute]] = {"count": Attribute("Signals.")}
    no_signal_actions: ClassVar[tuple[str, ...]] = ("DELETE",)

    def handle_create(self) -> None:
        self.resource_id_set("id-1")

    def check_create_complete(self, _handle: Any) -> bool:
        return bool(self.data().get("count"))

    def handle_signal(self, details: Any = None) -> str | None:
        CALLS.append((self.action, self.status))
        self.data_set("count", str(int(self.data().get("count", 0)) + 1))
        if details.get("status") == "FAILURE":
            raise SignalFailure(f"Resource reported failure: {details.get('reason')}")
        text: str | None = details.get("text")
        return text

    def _resolve_attribute(self, name: str) -> Any:
        return self.data().get(name)


def heard(life: Life, details: Any, verb: str | None = None) -> Heard:
    kind, at = life.kind, life.at({}, verb=verb)
    heard = kind.hear(at, details, cast("Cloud", life.cloud))
    life.record(heard.step)
    return heard


def test_a_plugin_that_handles_signals_hears_them_at_rest() -> None:
    life = Life(Counted)
    life.begin("create")
    assert (life.kind.supports("hear"), sleeper().kind.supports("hear")) == (True, False)
    assert life.kind.deaf_actions == {"DELETE"}
    heard(life, {}, "create")
    life.go_on("create")
    life.restart()
    assert heard(life, {"text": "well"}).reason == "Signal: well"
    assert life.attributes["count"] == "2"
    assert CALLS == [("CREATE", "IN_PROGRESS"), ("CREATE", "COMPLETE")]


def test_a_signal_while_it_is_made_is_seen_by_its_check() -> None:
    life = Life(Counted)
    life.begin("create")
    life.restart()  # another process goes on
    assert isinstance(heard(life, {}, "create").step, Next)
    life.restart()
    life.go_on("create")
    assert life.attributes["count"] == "1"


def test_a_signal_that_fails_is_told_and_what_was_set_stays() -> None:
    life = Life(Counted)
    life.begin("create")
    heard(life, {}, "create")
    life.go_on("create")
    failed = heard(life, {"status": "FAILURE", "reason": "full"})
    assert failed.failure == "SignalFailure: resources.it: Resource reported failure: full"
    assert life.attributes["count"] == "2"


def test_what_another_process_has_heard_is_known_to_the_one_that_goes_on() -> None:
    life = Life(Counted)
    life.begin("create")
    mine = life.kind
    life.restart()
    heard(life, {}, "create")
    life.kind = mine
    life.go_on("create")
    assert life.attributes["count"] == "1"
