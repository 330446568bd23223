"""An API that has no database and asks the engines over a broker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from kombu.connection import Connection

from stoker.errors import StokerError
from tests.app.operating import Program, Site
from tests.app.serving import SECONDS, TEMPLATE, created
from tests.kill.rest import Doors, RefusedError
from tests.rpc.broker import Broker

PATIENCE = 10.0
"""In which even who waits for an answer is refused one."""
BAD = """
heat_template_version: 2018-08-31
resources:
  word: {type: OS::Heat::RandomString, properties: {length: many}}
  other: {type: No::Such::Type}
"""
LASTING = {"durable": False, "auto_delete": False}
"""As oslo.messaging makes its queues, unless it is told otherwise."""
SECRET = "nobody-may-read-this"
HIDDEN = f"""{TEMPLATE}
    properties: {{salt: {{get_param: secret}}}}
parameters: {{secret: {{type: string, hidden: true}}}}
outputs: {{word: {{value: {{get_attr: [word, value]}}}}}}
"""


@pytest.fixture(scope="module")
def site(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With an engine that serves requests, and an API that knows no database."""
    options = {
        "OS_DEFAULT__TRANSPORT_URL": broker.url,
        "OS_STOKER__BEARER": "rpc",
        "OS_DEFAULT__RPC_RESPONSE_TIMEOUT": "4",
        "OS_STOKER__LINGER_SECONDS": "3",
    }
    with closing(Site(tmp_path_factory.mktemp("rpc"), more=options)) as found:
        with found.conf.open("a") as file:
            file.write("\n[oslo_messaging_notifications]\ndriver = messagingv2\n")
        assert found.manage("db", "sync").returncode == 0
        found.engine()
        api = found.api({"OS_DATABASE__CONNECTION": ""})
        # The engine may still be about to join the broker's queue.
        until = time.monotonic() + SECONDS
        while _refusal(found, "/stacks") is not None:
            assert time.monotonic() < until
        yield found
        assert api.stop() == found.engine().stop() == 0


def doors(site: Site) -> Doors:
    found = Doors(site.clouds_yaml, f"http://127.0.0.1:{site.port}/v1", _cloud(site))
    found.log_in()
    return found


def _cloud(site: Site) -> str:
    return site.auth_url.removesuffix("/identity/v3")


def _refusal(site: Site, path: str) -> RefusedError | None:
    try:
        doors(site).get(path)
    except RefusedError as error:
        return error
    return None


def test_a_stack_lives_its_life(site: Site) -> None:
    endpoint = site.endpoint
    id = created(endpoint, "web")
    assert [each["resource_name"] for each in endpoint.resources("web", id)] == ["word"]
    assert "web" in [each["stack_name"] for each in doors(site).get("/stacks")["stacks"]]
    body = {"template": TEMPLATE.replace("word", "text")}
    doors(site).update("web", body)
    assert site.ended("web", id) == "UPDATE_COMPLETE"
    assert [each["resource_name"] for each in endpoint.resources("web", id)] == ["text"]
    assert doors(site).get("/resource_types")["resource_types"]
    endpoint.delete("web", id)
    assert site.ended("web", id) == "DELETE_COMPLETE"


def test_what_asks_no_cloud_is_done_when_the_answer_comes(site: Site) -> None:
    id = site.endpoint.create("quick", TEMPLATE, {})
    assert site.endpoint.stack("quick", id)["stack_status"] == "CREATE_COMPLETE"
    doors(site).update("quick", {"template": TEMPLATE})
    assert site.endpoint.stack("quick", id)["stack_status"] == "UPDATE_COMPLETE"


def test_errors_are_those_of_the_use_cases(site: Site) -> None:
    refused = _refusal(site, "/stacks/nothing")
    assert refused is not None
    assert refused.status == 404
    assert "The Stack (nothing) could not be found" in str(refused)
    with pytest.raises(StokerError, match="No::Such::Type"):
        site.endpoint.create("bad", BAD, {})


def test_a_secret_is_in_no_log(site: Site) -> None:
    id = site.endpoint.create("hidden", HIDDEN, {"secret": SECRET})
    assert site.ended("hidden", id) == "CREATE_COMPLETE"
    assert SECRET not in site.log


def test_what_is_kept_for_guests_is_asked_for_too(site: Site) -> None:
    assert doors(site).get("/software_configs") == {"software_configs": []}
    refused = _refusal(site, "/software_configs/nothing")
    assert refused is not None
    assert "Software config with id nothing not found" in str(refused)


def test_other_services_are_told_what_becomes_of_stacks(site: Site, broker: Broker) -> None:
    id = created(site.endpoint, "told")
    assert told(broker, id) == [
        "orchestration.stack.create.start",
        "orchestration.stack.create.end",
    ]


def told(broker: Broker, stack_id: str) -> list[str]:
    """Return what is told of a stack up to the end of its create."""
    found: list[str] = []
    url = broker.url.replace("rabbit:", "amqp:")
    connection: Any = Connection(url)  # type: ignore[no-untyped-call]  # it has no types
    with (
        connection,
        closing(connection.SimpleQueue("notifications.info", queue_opts=LASTING)) as queue,
    ):
        while not found or not found[-1].endswith(".end"):
            message = queue.get(timeout=SECONDS)
            body = json.loads(message.payload["oslo.message"])
            message.ack()
            if body["payload"]["stack_identity"] == stack_id:
                found.append(body["event_type"])
    return found


def test_who_gets_no_answer_is_told_to_ask_again(site: Site) -> None:
    assert site.engine().stop() == 0
    refused = _refusal(site, "/stacks")
    assert refused is not None
    assert refused.status == 503
    assert "No engine answers now" in str(refused)
    site.engine()
    until = time.monotonic() + SECONDS
    while _refusal(site, "/stacks") is not None:
        assert time.monotonic() < until


def test_a_broker_that_was_away_is_found_again(site: Site, broker: Broker) -> None:
    broker.stop()
    begun = time.monotonic()
    refused = _refusal(site, "/stacks")
    assert refused is not None
    assert refused.status == 503
    assert time.monotonic() - begun < PATIENCE
    broker.start()
    until = time.monotonic() + SECONDS
    while _refusal(site, "/stacks") is not None:
        assert time.monotonic() < until
    created(site.endpoint, "afterwards")


def test_without_a_broker_it_is_refused_at_the_start(tmp_path: Path, site: Site) -> None:
    more: dict[str, Any] = {"OS_STOKER__BEARER": "rpc", "OS_DEFAULT__TRANSPORT_URL": ""}
    for name in ("api_service", "engine_service"):
        program = Program(name, "--config-file", str(site.conf), environment=more)
        _, error = program.process.communicate(timeout=SECONDS)
        assert program.process.returncode == 2
        assert b"[stoker] bearer is rpc, and [DEFAULT] transport_url is not set" in error
