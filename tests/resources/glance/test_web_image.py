from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from stoker.errors import CloudError
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.cloud import Cloud
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Done, Next, Wait
from tests.resources.recorded import Recorded
from tests.resources.stepping import kind_of, standing

WEB = "OS::Glance::WebImage"
GIVEN: Mapping[str, Any] = {
    "disk_format": "raw",
    "container_format": "bare",
    "location": "http://web.test/i",
}
MOST_LOOKS = 60


class Glance:
    """Glance with one image; ``tasks`` None: a Glance that tells none."""

    def __init__(self, tasks: Sequence[Mapping[str, Any]] | None = None, **image: Any) -> None:
        self.one = {"id": "i", "status": "active", "visibility": "private", "tags": [], **image}
        self.tasks, self.members = tasks, ["old"]
        self.changes: list[Any] = []
        self.image = self

    def get(self, path: str, **_query: Any) -> Any:
        if path.endswith("/tasks"):
            if self.tasks is None:
                raise CloudError("no such path", service="image", status=404)
            return {"tasks": self.tasks}
        if path.endswith("/members"):
            return {"members": [{"member_id": each} for each in self.members]}
        return dict(self.one)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        self.changes.append((path, dict(body)))
        if path.endswith("/members"):
            self.members.append(body["member"])
        if path.endswith("activate"):
            self.one["status"] = "deactivated" if path.endswith("deactivate") else "active"
        return {"id": body.get("id")}

    def remove(self, path: str) -> None:
        self.changes.append((path, None))
        self.members.remove(path.rpartition("/")[2])

    def patch(self, path: str, changes: Sequence[Mapping[str, Any]]) -> Any:
        self.changes.append((path, list(changes)))
        for each in changes:
            name = each["path"].removeprefix("/").replace("~1", "/").replace("~0", "~")
            self.one.pop(name, None)
            if each["op"] != "remove":
                self.one[name] = each["value"]
        return self.one


def updated(glance: Glance, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Any]:
    """Lead an update to its end; return what it sent."""
    kind = kind_of(WEB)
    before, wanted = kind.Props.parse({**GIVEN, **old}), kind.Props.parse({**GIVEN, **new})
    at = standing(WEB, {**GIVEN, **new}, id="i", old=before, changed=wanted.changed(before))
    for _ in range(MOST_LOOKS):
        step = kind.update(at, cast("Cloud", glance))
        if isinstance(step, Done):
            return glance.changes
        assert isinstance(step, Next)
    raise AssertionError("the update does not end")


@pytest.mark.parametrize(
    ("there", "old", "new", "patch"),
    [
        (
            {"os_distro": "a", "a/b": "1"},
            {"os_distro": "a", "extra_properties": {"a/b": 1}},
            {"tags": ["y", "x"]},
            [
                {"op": "remove", "path": "/a~1b"},
                {"op": "remove", "path": "/os_distro"},
                {"op": "replace", "path": "/tags", "value": ["y", "x"]},
            ],
        ),
        (
            {"k": "v"},
            {"extra_properties": {"k": "v"}},
            {"extra_properties": {"k": "w", "n": True}, "protected": True},
            [
                {"op": "replace", "path": "/k", "value": "w"},
                {"op": "add", "path": "/n", "value": "true"},
                {"op": "add", "path": "/protected", "value": True},
            ],
        ),
        (
            {"tags": ["a"], "owner": "p"},
            {"tags": ["a"], "owner": "p"},
            {},
            [{"op": "replace", "path": "/tags", "value": []}],
        ),
    ],
)
def test_an_update_patches_what_differs(
    there: Mapping[str, Any],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    patch: list[Mapping[str, Any]],
) -> None:
    assert updated(Glance(**there), old, new) == [("/images/i", patch)]


def test_what_is_there_already_is_not_sent_again() -> None:
    glance = Glance(tags=["a", "b"], os_version="1")
    assert updated(glance, {}, {"tags": ["b", "a", "a"], "os_version": "1"}) == []


def test_members_come_before_others_go_and_strangers_stay() -> None:
    glance = Glance(visibility="shared")
    glance.members = ["old", "stranger"]
    shared = {"visibility": "shared"}
    updated(glance, {**shared, "members": ["old"]}, {**shared, "members": ["new"]})
    assert glance.changes == [
        ("/images/i/members", {"member": "new"}),
        ("/images/i/members/old", None),
    ]
    assert glance.members == ["stranger", "new"]


def test_an_image_is_switched_off_and_on() -> None:
    glance = Glance()
    assert updated(glance, {}, {"active": False}) == [("/images/i/actions/deactivate", {})]
    glance.changes.clear()
    assert updated(glance, {"active": False}, {}) == [("/images/i/actions/reactivate", {})]


def looked(glance: Glance, data: Mapping[str, Any]) -> Any:
    at = replace(standing(WEB, GIVEN), id="i", data=data)
    return kind_of(WEB).create(at, cast("Cloud", glance))


def test_the_data_is_asked_for_once() -> None:
    glance = Glance(status="queued")
    step = looked(glance, {})
    assert glance.changes == [
        ("/images/i/import", {"method": {"name": "web-download", "uri": "http://web.test/i"}})
    ]
    assert isinstance(step, Wait)
    assert isinstance(looked(glance, step.data or {}), Wait)
    assert len(glance.changes) == 1


def test_an_image_on_its_way_is_waited_for_and_then_there() -> None:
    glance = Glance(status="importing")
    step = looked(glance, {"asked": True})
    assert isinstance(step, Wait)
    glance.one["status"] = "active"
    assert isinstance(looked(glance, step.data or {}), Done)


RUNNING = [{"status": "processing", "created_at": "2"}, {"status": "failure", "created_at": "1"}]
FAILED = [{"status": "failure", "created_at": "2", "message": "no route"}]


@pytest.mark.parametrize(
    ("glance", "data", "text"),
    [
        (Glance(status="killed"), {"asked": True}, "went to status killed"),
        (Glance(status="queued"), {"asked": True, "begun": True}, "see Glance's log"),
        (Glance(FAILED, status="queued"), {"asked": True, "begun": True}, "no route"),
        (Glance(FAILED, status="queued"), {"asked": True}, "no route"),
        (Glance(status="queued"), {"asked": True, "polls": 99}, "has not begun"),
    ],
)
def test_an_image_that_cannot_be_fetched_is_not_fetched_again(
    glance: Glance, data: Mapping[str, Any], text: str
) -> None:
    with pytest.raises(CloudError, match=text) as caught:
        looked(glance, data)
    assert fault(caught.value) is Fault.FATAL
    assert glance.changes == []


def test_a_task_that_goes_on_is_waited_for_however_long() -> None:
    assert isinstance(looked(Glance(RUNNING, status="queued"), {"asked": True, "polls": 99}), Wait)


def test_a_create_says_everything_at_once() -> None:
    given = {**GIVEN, "name": "n", "tags": ["a"], "extra_properties": {"k": 1}, "min_ram": 5}
    glance = Glance()
    step = kind_of(WEB).create(standing(WEB, given), cast("Cloud", glance))
    ((path, body),) = glance.changes
    assert path == "/images"
    assert isinstance(step, Next)
    assert step.id == body.pop("id")
    assert body == {
        "name": "n",
        "min_disk": 0,
        "min_ram": 5,
        "protected": False,
        "disk_format": "raw",
        "container_format": "bare",
        "tags": ["a"],
        "visibility": "private",
        "k": "1",
    }


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"members": ["p"]}, "not a private one"),
        ({"extra_properties": {"os_distro": "x"}}, "use the property os_distro"),
    ],
)
def test_what_cannot_be_is_told(given: Mapping[str, Any], text: str) -> None:
    kind = kind_of(WEB)
    (found,) = kind.validate(kind.Props.parse({**GIVEN, **given}))
    assert text in str(found)


def test_what_is_not_known_yet_is_not_judged() -> None:
    kind = kind_of(WEB)
    for given in (
        {"members": UNKNOWN, "visibility": UNKNOWN, "extra_properties": UNKNOWN, "id": UNKNOWN},
        {"members": ["p"], "visibility": UNKNOWN},
    ):
        props = kind.Props.parse({**GIVEN, **given})
        assert list(kind.validate(props)) == []
        assert kind.exclusive(props) == frozenset()


def test_an_image_shows_itself_and_holds_the_id_that_the_user_chose() -> None:
    kind = kind_of(WEB)
    assert kind.attribute(Recorded(id="i", attributes={"size": 1}), "show", ()) == {"size": 1}
    assert kind.exclusive(kind.Props.parse({**GIVEN, "id": "x"})) == {("image", "x")}
