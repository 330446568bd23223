"""A plugin's verbs, step by step: what is recorded, and what another process makes of it."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import pytest

from stoker.classic.attributes import Schema as Attribute
from stoker.classic.border import PluginFailed
from stoker.classic.exception import ResourceInError, UpdateReplace
from stoker.classic.properties import Schema
from stoker.classic.resource import PollDelay, Resource
from stoker.errors import CloudError, StokerError
from stoker.sdk.resource import Done, Next
from tests.classic.stepping import Life, given_up

CALLS: list[Any] = []


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()


class Plain(Resource):
    """Has a name that can change and a size that cannot."""

    properties_schema: ClassVar[dict[str, Schema]] = {
        "label": Schema(Schema.STRING, "What it says.", update_allowed=True),
        "size": Schema(Schema.INTEGER, "How large.", default=1),
    }


class Polled(Plain):
    handle: ClassVar[Any] = {"left": 2}

    def handle_create(self) -> Any:
        CALLS.append("create")
        self.resource_id_set("id-1")
        return self.handle

    def check_create_complete(self, handle: Any) -> bool:
        CALLS.append(("check", handle))
        return len(CALLS) > 3

    def handle_delete(self) -> Any:
        CALLS.append(("delete", self.resource_id))
        return object()

    def check_delete_complete(self, handle: Any) -> bool:
        CALLS.append("check delete")
        return CALLS.count("check delete") > 1


def test_a_create_records_id_and_handle_before_it_polls() -> None:
    life = Life(Polled)
    life.begin("create")
    assert (life.id, life.data["handle"], CALLS) == ("id-1", {"left": 2}, ["create"])
    life.go_on("create")
    assert ["create", *[("check", {"left": 2})] * 3] == CALLS
    assert life.waits == [0.25, 0.25]


def test_another_process_goes_on_with_a_handle_that_is_json() -> None:
    life = Life(Polled)
    life.begin("create")
    life.restart()
    life.go_on("create")
    assert CALLS.count("create") == 1
    assert life.id == "id-1"


class Opaque(Polled):
    handle: ClassVar[Any] = object()


def test_a_handle_that_is_no_json_lasts_as_long_as_the_process() -> None:
    life = Life(Opaque)
    life.run("create")
    assert CALLS[1] == ("check", Opaque.handle)


def test_a_handle_that_is_lost_with_its_process_fails_and_deletes_by_id() -> None:
    life = Life(Opaque)
    life.begin("create")
    life.restart()
    with pytest.raises(PluginFailed, match="no JSON"):
        life.step("create")
    given_up(life)
    life.run("delete")
    assert ("delete", "id-1") in CALLS


def test_a_delete_whose_handle_is_lost_is_begun_again() -> None:
    life = Life(Polled)
    life.run("create")
    life.begin("delete")
    life.restart()
    life.go_on("delete")
    assert CALLS.count(("delete", "id-1")) == 2


def test_a_tuple_is_no_json_for_it_would_come_back_as_a_list() -> None:
    class Pair(Polled):
        handle: ClassVar[Any] = (1, 2)

    life = Life(Pair)
    life.run("create")
    assert CALLS[1] == ("check", (1, 2))


def test_what_a_check_writes_into_its_handle_is_recorded() -> None:
    class Counting(Polled):
        def check_create_complete(self, handle: Any) -> bool:
            handle["left"] -= 1
            return bool(handle["left"] <= 0)

        def handle_create(self) -> Any:
            return {"left": 3}

    life = Life(Counting)
    life.begin("create")
    for _ in range(2):
        life.step("create")
        life.restart()
    assert isinstance(life.step("create"), Next)
    assert life.waits == [0.25, 0.25]


def test_a_text_that_is_returned_becomes_the_id_unless_one_was_set() -> None:
    class Named(Plain):
        def handle_create(self) -> str:
            return "id-2"

    class Both(Plain):
        def handle_create(self) -> str:
            self.resource_id_set("id-3")
            return "a-task"

    for plugin, id in ((Named, "id-2"), (Both, "id-3")):
        life = Life(plugin)
        life.run("create")
        assert life.id == id


def test_a_create_that_was_cut_off_is_not_begun_again() -> None:
    life = Life(Polled)
    life.look()  # the first step was begun, and nothing is recorded of it
    with pytest.raises(PluginFailed, match="cut off"):
        life.step("create")
    assert CALLS == []


def test_a_create_without_an_id_that_was_cut_off_in_a_poll_goes_on_polling() -> None:
    class Idless(Polled):
        def handle_create(self) -> Any:
            CALLS.append("create")
            return {"task": 1}

    life = Life(Idless)
    life.begin("create")
    life.restart()
    life.look()
    life.go_on("create")
    assert CALLS.count("create") == 1
    assert life.id is None


def test_a_delay_is_waited_for() -> None:
    class Slow(Plain):
        def check_create_complete(self, handle: Any) -> bool:
            CALLS.append("check")
            if len(CALLS) == 1:
                raise PollDelay(7)
            return True

    life = Life(Slow)
    life.run("create")
    assert life.waits == [7]


# failures


class Failing(Plain):
    changes = 0

    def handle_create(self) -> None:
        CALLS.append("create")
        session: Any = self.context.keystone_session
        session.changes = self.changes
        session.meant = self.meant()
        self.resource_id_set("id-4" if self.changes else None)
        raise ResourceInError(resource_status="ERROR", status_reason="no host")

    def meant(self) -> CloudError | None:
        return None


def test_a_plugins_error_fails_it_under_the_name_and_with_the_text_that_it_has() -> None:
    life = Life(Failing)
    with pytest.raises(PluginFailed) as caught:
        life.begin("create")
    assert caught.value.kind == "ResourceInError"
    assert str(caught.value) == 'Went to status ERROR due to "no host"'


def test_a_failure_after_a_change_is_told_once_the_id_is_recorded() -> None:
    class Changing(Failing):
        changes = 1

    life = Life(Changing)
    life.begin("create")
    assert life.id == "id-4"
    life.restart()
    with pytest.raises(PluginFailed, match="no host") as caught:
        life.step("create")
    assert caught.value.kind == "ResourceInError"
    assert CALLS == ["create"]


BUSY = CloudError("busy (HTTP 409)", service="compute", status=409)


def test_a_clients_error_is_the_error_that_the_session_knows() -> None:
    class Refused(Failing):
        def meant(self) -> CloudError | None:
            return BUSY

    life = Life(Refused)
    with pytest.raises(CloudError) as caught:
        life.begin("create")
    assert caught.value is BUSY


def test_a_clients_error_after_a_change_is_not_tried_again() -> None:
    class Half(Failing):
        changes = 1

        def meant(self) -> CloudError | None:
            return BUSY

    life = Life(Half)
    life.begin("create")
    with pytest.raises(PluginFailed, match="busy"):
        life.step("create")
    assert CALLS == ["create"]


def test_a_plugins_fault_is_told_with_file_and_line() -> None:
    class Wrong(Plain):
        def handle_create(self) -> None:
            raise KeyError("nothing")

    with pytest.raises(PluginFailed, match=r"'nothing' \(test_turn\.py:\d+\)") as caught:
        Life(Wrong).begin("create")
    assert caught.value.kind == "KeyError"


def test_a_lost_lease_is_told_though_the_plugin_caught_it() -> None:
    lost = StokerError("lease lost")

    class Catching(Plain):
        def handle_create(self) -> str:
            session: Any = self.context.keystone_session
            session.stopped = lost
            return "id-5"

    with pytest.raises(StokerError) as caught:
        Life(Catching).begin("create")
    assert caught.value is lost


# what lasts


class Keeping(Polled):
    def handle_create(self) -> None:
        self.resource_id_set("id-6")
        self.data_set("key", "value", redact=True)
        self.metadata_set({**self.metadata_get(), "b": 2})

    def check_create_complete(self, handle: Any) -> bool:
        return True

    def handle_update(self, json_snippet: Any, tmpl_diff: Any, prop_diff: Any) -> None:
        CALLS.append((dict(prop_diff), self.properties["label"], tmpl_diff.properties_changed()))
        CALLS.append(json_snippet.properties(self.properties_schema, self.context)["label"])
        CALLS.append((self.data(), self.metadata_get()))

    def handle_delete(self) -> None:
        CALLS.append((self.data(), self.uuid, self.physical_resource_name(), self.stack.name))


def test_data_and_metadata_last_from_verb_to_verb() -> None:
    life = Life(Keeping)
    life.run("create", label="old")
    life.restart()
    life.run("update", label="new")
    life.restart()
    life.run("delete", label="new")
    kept = ({"key": "value"}, {"a": 1, "b": 2})
    assert [
        ({"label": "new"}, "old", True),
        "new",
        kept,
        ({"key": "value"}, "uuid-1", "stack-it-abc", "stack"),
        "check delete",
        "check delete",
    ] == CALLS


def test_a_property_that_was_taken_away_is_none_in_the_difference() -> None:
    life = Life(Keeping)
    life.run("create", label="old", size=3)
    life.run("update", size=3)
    assert CALLS[0] == ({"label": None}, "old", True)


class Giving(Plain):
    attributes_schema: ClassVar[dict[str, Attribute]] = {
        "good": Attribute("Works.", type=Attribute.MAP),
        "bad": Attribute("Does not."),
    }

    def _resolve_attribute(self, name: str) -> Any:
        if name == "bad":
            raise ValueError("not today")
        return {"at": {1, 2}, "of": object}

    def _show_resource(self) -> Any:
        return {"id": self.resource_id}

    def get_reference_id(self) -> str:
        return "by-another-name"

    def handle_create(self) -> str:
        return "id-7"


def test_attributes_are_read_when_the_verb_is_done(caplog: pytest.LogCaptureFixture) -> None:
    life = Life(Giving)
    with caplog.at_level(logging.WARNING):
        life.run("create")
    assert life.attributes == {
        "good": {"at": [1, 2], "of": "<class 'object'>"},
        "bad": None,
        "show": {"id": "id-7"},
    }
    assert "attribute bad of it has no value: not today" in caplog.text
    assert life.stored["reference"] == "by-another-name"


def test_a_fault_that_will_pass_has_attributes_read_again() -> None:
    class Away(Giving):
        def _resolve_attribute(self, name: str) -> Any:
            CALLS.append(name)
            if len(CALLS) == 1:
                raise CloudError("away", service="compute", status=503)
            return "back"

    life = Life(Away)
    life.begin("create")
    life.step("create")
    with pytest.raises(CloudError, match="away"):
        life.step("create")
    assert isinstance(life.step("create"), Done)
    assert life.attributes["good"] == "back"


# replacement


def replaced(plugin: type[Resource], **new: Any) -> set[str]:
    kind = Life(plugin).kind
    old, wanted = kind.Props.parse({"label": "a"}), kind.Props.parse({"label": "a", **new})
    return set(kind.replaces(old, wanted, wanted.changed(old)))


def test_a_class_without_an_update_is_replaced_at_any_change() -> None:
    assert replaced(Plain, label="b") == {"label"}


def test_only_what_may_change_is_changed_in_place() -> None:
    assert replaced(Keeping, label="b") == set()
    assert replaced(Keeping, label="b", size=2) == {"size"}


def test_a_class_may_ask_for_a_replacement_by_the_difference() -> None:
    class Choosy(Keeping):
        def needs_replace_with_prop_diff(
            self, changed_properties_set: Any, after_props: Any, before_props: Any
        ) -> bool:
            return bool(after_props["label"] == "b" and before_props["label"] == "a")

    assert replaced(Choosy, label="b") == {"label"}
    assert replaced(Choosy, label="c") == set()


def test_a_replacement_that_an_update_asks_for_too_late_fails_it() -> None:
    class Late(Keeping):
        def handle_update(self, json_snippet: Any, tmpl_diff: Any, prop_diff: Any) -> None:
            raise UpdateReplace(self.name)

    life = Life(Late)
    life.run("create", label="a")
    with pytest.raises(PluginFailed, match="requires replacement") as caught:
        life.begin("update", label="b")
    assert caught.value.kind == "UpdateReplace"


# validation


class Picky(Plain):
    def validate(self) -> Any:
        super().validate()
        if self.properties["label"] == "ask":
            self.client("nova")
        if self.properties["label"] == "raise":
            raise ResourceInError(resource_status="X", status_reason="told")
        return "returned" if self.properties["label"] == "say" else None


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("fine", []),
        ("say", ["returned"]),
        ("raise", ['Went to status X due to "told"']),
        ("ask", []),
    ],
)
def test_what_a_plugin_finds_wrong_is_told_as_far_as_it_needs_no_cloud(
    label: str, told: list[str]
) -> None:
    kind = Life(Picky).kind
    problems = kind.validate(kind.Props.parse({"label": label}))
    assert [problem.text for problem in problems] == told


def test_a_plugin_validates_again_before_it_creates() -> None:
    with pytest.raises(PluginFailed, match="returned"):
        Life(Picky).begin("create", label="say")


class Paced(Plain):
    update_policy_schema: ClassVar[dict[str, Schema]] = {
        "pace": Schema(
            Schema.MAP, schema={"most": Schema(Schema.INTEGER, default=3)}, required=True
        )
    }

    def handle_create(self) -> None:
        CALLS.append((self.update_policy["pace"]["most"], self.t.update_policy()["pace"]))

    def handle_delete(self) -> None:
        CALLS.append("delete")


def test_a_plugin_finds_its_update_policy() -> None:
    life = Life(Paced, policy={"pace": {"most": "4"}})
    life.run("create")
    assert CALLS == [(4, {"most": 4})]
    life.policy = {}
    life.run("delete")
    assert CALLS[1:] == ["delete"]
    (problem,) = life.kind.Policy.check({"pace": {"least": 1}})
    assert problem.at == ("pace", "least")
