"""The cloud's own controls."""

from __future__ import annotations

from uuid import uuid4

from stoker.devcloud.server import Server
from tests.devcloud.client import Client


def test_the_root_says_where_everything_is(anybody: Client) -> None:
    answer = anybody.get("/")
    assert answer.body["ready"] is True
    assert answer.body["services"]["identity"] == f"{anybody.url}/identity/v3"


def test_the_log_tells_each_request_since_a_number(demo: Client) -> None:
    seq = demo.get("/devcloud/log").body["seq"]
    demo.get("/identity/v3/users?name=x")
    entries = demo.get(f"/devcloud/log?since={seq}").body["requests"]
    [entry] = [entry for entry in entries if entry["service"] == "identity"]
    assert (entry["operation"], entry["method"], entry["status"]) == ("list_users", "GET", 403)
    assert entry["path"] == "/identity/v3/users?name=x"
    assert entry["project"] == demo.me()["project"]["id"]


def test_the_log_keeps_what_is_asked_once_somebody_wants_it(demo: Client) -> None:
    def told(wanted: str) -> list[object]:
        assert demo.call("PUT", "/devcloud/log", {"bodies": wanted == "kept"}).status == 200
        seq = demo.get("/devcloud/log").body["seq"]
        demo.call("POST", "/image/v2/images", {"name": "x"})
        demo.call("POST", "/identity/v3/users", {"user": {"password": "a secret"}})
        entries = demo.get(f"/devcloud/log?since={seq}").body["requests"]
        return [each.get("body") for each in entries if each["service"] != "devcloud"]

    assert told("kept") == [{"name": "x"}, None]
    assert told("not kept") == [None, None]
    assert demo.call("PUT", "/devcloud/log", {"bodies": "some"}).status == 400


def test_counts_go_by_service_and_operation(demo: Client) -> None:
    def listed() -> int:
        counts: dict[str, int] = demo.get("/devcloud/counts").body["counts"].get("image", {})
        return counts.get("list_images", 0)

    before = listed()
    demo.get("/image/v2/images")
    assert listed() == before + 1


def test_what_exists_is_listed_by_project(demo: Client) -> None:
    name = uuid4().hex
    image = demo.call("POST", "/image/v2/images", {"name": name}).body
    own = demo.get(f"/devcloud/objects?project={image['owner']}").body["objects"]
    assert {"kind": "image.image", "id": image["id"], "name": name, "project": image["owner"]} in (
        own
    )
    demo.call("DELETE", f"/image/v2/images/{image['id']}")
    every = demo.get("/devcloud/objects?kind=image.image").body["objects"]
    assert image["id"] not in {each["id"] for each in every}


def test_latencies_are_set_at_run_time(cloud: Server, anybody: Client) -> None:
    answer = anybody.call("PUT", "/devcloud/latency", {"nova": {"test_only": 1.5}})
    assert answer.body["latency"]["compute"]["test_only"] == 1.5
    assert cloud.cloud.latency.seconds("compute", "test_only") == 1.5
    assert cloud.cloud.latency.seconds("compute", "another_test") == 0.05
    assert anybody.call("PUT", "/devcloud/latency", {"nova": {"boot": "soon"}}).status == 400
