from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
import urllib3.exceptions as transport

from stoker.clouds.errors import hung_up
from stoker.errors import CloudError, CloudNotFound, Conflict, NotFound
from stoker.sdk.fault import NO_ENDPOINT, OVER_QUOTA, Fault, fault
from tests.clouds.wire import Watch, wired


def always(*answer: Any) -> Any:
    return lambda *_: answer[0] if isinstance(answer[0], Exception) else answer


def failure(cloud: Any, method: str = "create") -> CloudError:
    call = cloud.network.create if method == "create" else cloud.network.show
    with pytest.raises(CloudError) as caught:
        call("port", {"name": "p"} if method == "create" else "p")
    return caught.value


NO_POOL: Any = None
REFUSED = transport.NewConnectionError(NO_POOL, "refused")
HUNG_UP = requests.ConnectionError(transport.ProtocolError("aborted", ConnectionResetError()))


def test_a_change_passes_the_guard_right_before_it_is_sent() -> None:
    guard = Watch()

    def answer(*_: Any) -> Any:
        guard.seen.append("sent")
        return 201, {"port": {"id": "1"}}

    cloud, wire = wired(answer, guard)
    assert cloud.network.create("port", {}) == {"id": "1"}
    assert guard.seen == ["before network POST /ports", "sent", "after network POST /ports"]
    assert wire.sent == [("POST", "/networking/v2.0/ports")]


def test_a_read_passes_no_guard() -> None:
    guard = Watch()
    cloud, _ = wired(always(200, {"port": {"id": "1"}}), guard)
    cloud.network.show("port", "1")
    assert guard.seen == []


def test_what_the_guard_stops_is_not_sent() -> None:
    cloud, wire = wired(always(201, {}), Watch(RuntimeError("lease lost")))
    with pytest.raises(RuntimeError):
        cloud.network.create("port", {})
    assert wire.sent == []
    assert wire.tokens == 1, "the token comes before the guard, for it may take its time"


def test_a_change_whose_token_ran_out_is_sent_again_through_the_guard() -> None:
    answers = iter([(401, {"error": {}}), (201, {"port": {"id": "1"}})])
    guard = Watch()
    cloud, wire = wired(lambda *_: next(answers), guard)
    cloud.network.create("port", {})
    assert len(wire.sent) == 2
    assert [each.split()[0] for each in guard.seen] == ["before", "after"] * 2
    assert wire.requests[1].headers["X-Auth-Token"] == "token-2"


def test_a_change_that_is_refused_twice_is_an_error() -> None:
    cloud, wire = wired(always(401, {"error": {"message": "no"}}))
    assert failure(cloud).status == 401
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    ("raised", "sent"),
    [
        (requests.ConnectionError(transport.MaxRetryError(NO_POOL, "/", REFUSED)), False),
        (requests.ConnectTimeout("slow"), False),
        (requests.exceptions.SSLError("bad certificate"), False),
        (requests.ReadTimeout("no answer"), True),
        (HUNG_UP, True),
        (requests.exceptions.ChunkedEncodingError("cut off"), True),
    ],
)
def test_a_failed_transport_tells_whether_anything_can_have_arrived(
    raised: Exception,
    sent: bool,  # noqa: FBT001 - a row of the table
) -> None:
    cloud, wire = wired(always(raised))
    error = failure(cloud)
    assert (error.sent, error.status, error.service) == (sent, None, "network")
    assert fault(error) is (Fault.UNKNOWN if sent else Fault.RETRY)
    assert len(wire.sent) == 1, "a change is sent once"


@pytest.mark.parametrize("method", ["create", "show"])
def test_a_log_in_is_repeated_once_where_keystone_hung_up(method: str) -> None:
    cloud, wire = wired(always(200, {"port": {"id": "1"}}))
    wire.no_tokens = [HUNG_UP, HUNG_UP]
    assert failure(cloud, method).service == "identity"
    wire.no_tokens = [requests.ReadTimeout("no answer")]
    assert failure(cloud, method).service == "identity"
    assert not wire.sent
    assert not wire.no_tokens
    call = getattr(cloud.network, method)
    for number in (1, 2):  # the second with endpoints that are known
        wire.no_tokens = [HUNG_UP]
        assert call("port", {} if method == "create" else "1") == {"id": "1"}
        assert wire.tokens == number
        cloud.network._connection.auth.invalidate()  # noqa: SLF001 - as when a token ends


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (HUNG_UP, True),
        (requests.ConnectionError(transport.ProtocolError("aborted", BrokenPipeError())), True),
        (requests.ConnectionError(transport.MaxRetryError(NO_POOL, "/", REFUSED)), False),
        (requests.ReadTimeout("no answer"), False),
        ((500, {"error": {"message": "no"}}), False),
    ],
)
def test_who_hangs_up_is_told_from_who_does_not_answer(raised: Any, *, expected: bool) -> None:
    cloud, _ = wired(always(*raised) if isinstance(raised, tuple) else always(raised))
    assert hung_up(failure(cloud)) is expected


def test_a_read_is_repeated_once_on_a_broken_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    reset = requests.ConnectionError(transport.ProtocolError("aborted"))
    answers: Iterator[Any] = iter([reset, (200, {"port": {"id": "1"}})])
    cloud, wire = wired(lambda *_: next(answers))
    assert cloud.network.show("port", "1") == {"id": "1"}
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    ("status", "body", "code", "text"),
    [
        (
            409,
            {"NeutronError": {"type": "NetworkInUse", "message": "in use", "detail": ""}},
            "NetworkInUse",
            "in use",
        ),
        (
            409,
            {
                "NeutronError": {
                    "type": "OverQuota",
                    "message": "Quota exceeded for resources: ['port'].",
                    "detail": "",
                }
            },
            OVER_QUOTA,
            "['port']",
        ),
        (
            403,
            {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 4"}},
            OVER_QUOTA,
            "cores",
        ),
        (413, {"overLimit": {"code": 413, "message": "volumes"}}, OVER_QUOTA, "volumes"),
        (403, {"forbidden": {"code": 403, "message": "Policy"}}, "forbidden", "Policy"),
        (400, {"badRequest": {"code": 400, "message": "bad"}}, "badRequest", "bad"),
        (401, {"error": {"code": 401, "message": "who?", "title": "Unauthorized"}}, "", "who?"),
        (503, "<html><body><h1>503</h1> no server</body></html>", "", "503 no server"),
        (500, {"a": 1, "b": 2}, "", "{'a': 1, 'b': 2}"),
        (500, [1], "", "[1]"),
    ],
)
def test_a_refusal_keeps_the_services_own_name_and_words(
    status: int, body: Any, code: str, text: str
) -> None:
    cloud, _ = wired(always(status, body))
    error = failure(cloud)
    assert (error.status, error.code) == (status, code)
    assert text in str(error)
    assert "network" in str(error)


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("x", None), ("", None)])
def test_how_long_to_wait_is_read_from_the_answer(header: str, seconds: float | None) -> None:
    cloud, _ = wired(always(429, {}, {"Retry-After": header}))
    assert failure(cloud).retry_after == seconds


def test_a_date_to_wait_for_is_read_too() -> None:
    cloud, _ = wired(always(503, {}, {"Retry-After": "Fri, 31 Dec 2099 23:59:59 GMT"}))
    assert (failure(cloud).retry_after or 0) > 1e6


def test_the_services_own_404_means_that_the_object_is_gone() -> None:
    body = {"NeutronError": {"type": "PortNotFound", "message": "Port p could not be found."}}
    cloud, _ = wired(always(404, body))
    assert isinstance(failure(cloud, "show"), CloudNotFound)


@pytest.mark.parametrize(
    "body",
    [
        "<html>nginx: 404 Not Found</html>",
        {"NeutronError": {"type": "HTTPNotFound", "message": "The resource could not be found."}},
        {},
    ],
)
def test_any_other_404_does_not(body: Any) -> None:
    cloud, _ = wired(always(404, body))
    assert not isinstance(failure(cloud, "show"), CloudNotFound)


def test_glance_and_keystone_say_in_words_that_there_is_none() -> None:
    cloud, _ = wired(always(404, "<html><h1>404</h1>No image found with ID x<br/></html>"))
    with pytest.raises(CloudNotFound):
        cloud.image.get("/images/x")
    cloud, _ = wired(always(404, {"error": {"code": 404, "message": "Could not find trust: x."}}))
    cloud.identity.delete_trust("x")
    cloud, _ = wired(always(404, {"error": {"code": 404, "message": "The URL was not found"}}))
    with pytest.raises(CloudError):
        cloud.identity.delete_trust("x")


def test_a_service_that_the_catalog_has_not_is_told_so() -> None:
    cloud, wire = wired(always(200, {}))
    with pytest.raises(CloudError, match="no endpoint for block-storage") as caught:
        cloud.volume.get("/volumes/x")
    assert caught.value.code == NO_ENDPOINT
    assert wire.sent == []


def test_an_answer_that_is_no_json_is_an_error() -> None:
    cloud, _ = wired(always(200, "<html>"))
    with pytest.raises(CloudError, match="is not JSON"):
        cloud.network.show("port", "1")


def rows(found: dict[str, list[dict[str, str]]]) -> Any:
    """Answer lists: by the query's field and value."""

    def answer(_method: str, path: str, _request: Any) -> Any:
        return 200, {"networks": next((v for k, v in found.items() if k in path), [])}

    return answer


def test_a_name_is_found_once_and_remembered() -> None:
    cloud, wire = wired(rows({"name=net": [{"id": "n-1"}]}))
    assert cloud.network.find("network", "net") == "n-1"
    assert cloud.network.find("network", "net") == "n-1"
    assert len(wire.sent) == 1


def test_what_many_threads_want_to_know_at_once_is_asked_once() -> None:
    asking, go = threading.Event(), threading.Event()

    def slow(*_: Any) -> Any:
        asking.set()
        assert go.wait(10)
        return 200, {"networks": [{"id": "n-1"}]}

    cloud, wire = wired(slow)
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(cloud.network.find, "network", "net") for _ in range(8)]
        assert asking.wait(10)
        go.set()
        assert {each.result() for each in found} == {"n-1"}
    assert len(wire.sent) == 1


def test_what_was_just_made_need_not_be_looked_for() -> None:
    cloud, wire = wired(lambda *_: (201, {"port": {"id": "p-1"}}))
    cloud.network.create("port", {})
    assert cloud.network.find("port", "p-1") == "p-1"
    assert len(wire.sent) == 1


def test_what_looks_like_an_id_is_asked_for_by_id_first() -> None:
    id = "c42d970e-976b-40fd-b361-df42eec4ebb9"
    cloud, wire = wired(rows({f"id={id}": [{"id": id}]}))
    assert cloud.network.find("network", id) == id
    assert len(wire.sent) == 1


def test_an_odd_id_is_found_after_no_name_was() -> None:
    cloud, _ = wired(rows({"id=net": [{"id": "net"}]}))
    assert cloud.network.find("network", "net") == "net"


def test_nothing_and_too_much_are_told_apart() -> None:
    cloud, wire = wired(rows({"name=two": [{"id": "1"}, {"id": "2"}]}))
    with pytest.raises(Conflict, match="2 of kind network are called two"):
        cloud.network.find("network", "two")
    with pytest.raises(NotFound):
        cloud.network.find("network", "none")
    sent = len(wire.sent)
    with pytest.raises(NotFound):
        cloud.network.find("network", "none")
    assert len(wire.sent) > sent, "that there is none is not remembered"


def test_a_list_goes_on_through_all_pages() -> None:
    pages = iter(
        [
            (200, {"ports": [{"id": "1"}], "ports_links": [{"rel": "next", "href": "x"}]}),
            (200, {"ports": [{"id": "2"}], "ports_links": [{"rel": "previous", "href": "x"}]}),
        ]
    )
    cloud, wire = wired(lambda *_: next(pages))
    assert [row["id"] for row in cloud.network.list("port", tags=["a", "b"])] == ["1", "2"]
    assert wire.sent[1][1].endswith("marker=1")
    assert "tags=a&tags=b" in wire.sent[0][1]


def test_the_exceptions_among_neutrons_paths_are_known() -> None:
    cloud, wire = wired(always(200, {"policy": {}, "security_group": {}}))
    cloud.network.show("qos_policy", "1")
    cloud.network.show("security_group", "2")
    assert [path for _, path in wire.sent] == [
        "/networking/v2.0/qos/policies/1",
        "/networking/v2.0/security-groups/2",
    ]


def nova(newest: str) -> Any:
    def answer(_method: str, path: str, _request: Any) -> Any:
        if path.endswith("/v2.1/"):
            return 200, {"version": {"version": newest}}
        return 200, {"server": {}}

    return answer


@pytest.mark.parametrize(("newest", "used"), [("2.96", "2.90"), ("2.53", "2.53"), ("", "2.1")])
def test_nova_is_called_at_the_newest_microversion_that_both_know(newest: str, used: str) -> None:
    cloud, wire = wired(nova(newest))
    cloud.compute.get("/servers/1")
    cloud.compute.get("/servers/1")
    assert wire.requests[-1].headers["OpenStack-API-Version"] == f"compute {used}"
    assert len(wire.sent) == 3, "it is asked for once"
    cloud.compute.post_at("2.1", "/servers/1/action", {})
    assert wire.requests[-1].headers["X-OpenStack-Nova-API-Version"] == "2.1"
