"""The session for other people's clients: guard, one sending, and what its errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import urllib3.exceptions as transport
from keystoneauth1 import exceptions as keystone

from stoker.clouds.connect import Clouds, CloudSettings
from stoker.clouds.credential import Token
from stoker.clouds.session import GuardedSession
from stoker.errors import CloudError, CloudNotFound, StokerError
from stoker.sdk.fault import Fault, fault
from tests.clouds.wire import Answers, Watch, Wire, wired

PORTS: dict[str, Any] = {"endpoint_filter": {"service_type": "network", "interface": "public"}}


class Noting(Watch):
    """Also notes the error with which a call ended."""

    def __init__(self, stop: Exception | None = None) -> None:
        super().__init__(stop)
        self.error: BaseException | None = None

    def after(self, service: str, method: str, path: str) -> None:
        import sys

        super().after(service, method, path)
        self.error = sys.exception()


def session(answers: Answers, guard: Watch | None = None) -> tuple[GuardedSession, Wire]:
    cloud, wire = wired(answers, guard)
    return cloud.session(), wire


def always(*answer: Any) -> Answers:
    return lambda *_: answer[0] if isinstance(answer[0], Exception) else answer


OWN_404 = {"NeutronError": {"type": "PortNotFound", "message": "Port p could not be found"}}


def test_a_change_passes_the_guard_with_its_token_in_hand() -> None:
    guard = Noting()
    made, wire = session(always(201, {"port": {}}), guard)
    assert made.post("/ports", json={}, **PORTS).status_code == 201
    assert guard.seen == ["before network POST /ports", "after network POST /ports"]
    assert (made.changes, wire.tokens) == (1, 1)


def test_a_read_passes_no_guard_and_changes_nothing() -> None:
    guard = Noting()
    made, _ = session(always(200, {}), guard)
    made.get("/ports", **PORTS)
    assert (guard.seen, made.changes) == ([], 0)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post"])
def test_what_the_guard_stops_is_not_sent_and_is_remembered(method: str) -> None:
    lost = StokerError("lease lost")
    made, wire = session(always(200, {}), Noting(lost))
    with pytest.raises(StokerError):
        made.request("/ports", method, **PORTS)
    assert (wire.sent, made.stopped, made.changes) == ([], lost, 0)


def test_a_change_whose_token_ran_out_is_sent_again_through_the_guard() -> None:
    answers: Iterator[Any] = iter([(401, {}), (201, {})])
    guard = Noting()
    made, wire = session(lambda *_: next(answers), guard)
    made.post("/ports", **PORTS)
    assert [each.split()[0] for each in guard.seen] == ["before", "after"] * 2
    assert len(wire.sent) == 2


def test_a_refusal_is_the_clients_error_and_the_one_that_the_guard_saw() -> None:
    guard = Noting()
    made, _ = session(always(400, {"NeutronError": {"type": "Bad", "message": "no"}}), guard)
    with pytest.raises(keystone.BadRequest) as caught:
        made.post("/ports", **PORTS)
    known = made.cloud_error(caught.value)
    assert known is guard.error
    assert known is not None
    assert (known.status, known.code, made.changes) == (400, "Bad", 0)


def test_a_client_that_reads_the_answer_itself_gets_it() -> None:
    made, _ = session(always(409, {"NeutronError": {"type": "InUse", "message": "busy"}}))
    answer = made.post("/ports", raise_exc=False, **PORTS)
    assert answer.status_code == 409

    class OfAClient(Exception):
        code = 409

    known = made.cloud_error(OfAClient())
    assert known is not None
    assert fault(known) is Fault.BUSY


def test_an_error_about_something_else_is_not_the_last_calls() -> None:
    made, _ = session(always(409, {}))
    assert made.cloud_error(ValueError()) is None
    made.post("/ports", raise_exc=False, **PORTS)
    assert made.cloud_error(ValueError()) is None


def test_a_call_that_went_well_explains_no_error() -> None:
    answers: Iterator[Any] = iter([(409, {}), (200, {})])
    made, _ = session(lambda *_: next(answers))
    made.post("/ports", raise_exc=False, **PORTS)
    made.get("/ports", **PORTS)
    assert made.cloud_error(keystone.Conflict()) is None


NO_POOL: Any = None
REFUSED = transport.NewConnectionError(NO_POOL, "refused")


@pytest.mark.parametrize(
    ("raised", "sent"),
    [
        (requests.ConnectionError(transport.MaxRetryError(NO_POOL, "/", REFUSED)), False),
        (requests.ReadTimeout("no answer"), True),
    ],
)
def test_a_change_without_an_answer_is_sent_once_and_may_have_changed_something(
    raised: Exception, *, sent: bool
) -> None:
    guard = Noting()
    made, wire = session(always(raised), guard)
    with pytest.raises(keystone.ClientException) as caught:
        made.post("/ports", connect_retries=5, **PORTS)
    known = made.cloud_error(caught.value)
    assert known is guard.error
    assert known is not None
    assert (known.status, known.sent, made.changes) == (None, sent, int(sent))
    assert len(wire.sent) == 1


def test_the_error_without_an_answer_is_known_behind_the_one_that_a_client_makes_of_it() -> None:
    made, _ = session(always(requests.ReadTimeout("no answer")))
    with pytest.raises(RuntimeError) as caught:
        _wrapping(made)
    known = made.cloud_error(caught.value)
    assert known is not None
    assert fault(known) is Fault.UNKNOWN


def _wrapping(made: GuardedSession) -> None:
    try:
        made.get("/ports", **PORTS)
    except keystone.ClientException as e:
        raise RuntimeError("of the client") from e


@pytest.mark.parametrize("status", [500, 503])
def test_after_a_servers_error_a_change_may_have_been_made(status: int) -> None:
    made, _ = session(always(status, {}))
    made.post("/ports", raise_exc=False, **PORTS)
    assert made.changes == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_the_services_own_404_is_given_to_the_client(method: str) -> None:
    made, _ = session(always(404, OWN_404))
    with pytest.raises(keystone.NotFound) as caught:
        made.request("/ports/p", method, **PORTS)
    assert isinstance(made.cloud_error(caught.value), CloudNotFound)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    "body",
    ["<html>no such page</html>", {"NeutronError": {"type": "HTTPNotFound", "message": "no"}}],
)
def test_a_404_of_something_between_is_no_not_found(method: str, body: Any) -> None:
    made, _ = session(always(404, body))
    with pytest.raises(CloudError) as caught:
        made.request("/ports/p", method, raise_exc=False, **PORTS)
    assert not isinstance(caught.value, CloudNotFound)


def test_a_clients_session_can_go_on_as_the_next_steps() -> None:
    first, second = Noting(), Noting()
    made, _ = session(always(201, {}), first)
    made.post("/ports", **PORTS)
    later, _ = session(always(201, {}), second)
    made.take_over(later)
    assert made.changes == 0
    made.post("/ports", **PORTS)
    assert (len(first.seen), len(second.seen)) == (2, 2)


def test_a_plugins_clients_show_the_certificate_that_is_set() -> None:
    settings = CloudSettings(verify="/ca.pem", cert=("/own.pem", "/own.key"))
    cloud = Clouds(settings).cloud(Token("http://keystone", "t"))
    made = cloud.session()
    assert (made.verify, made.cert) == ("/ca.pem", ("/own.pem", "/own.key"))
