"""``stoker-engine``, ``stoker-api`` and ``stoker-manage`` as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stoker.errors import StokerError
from tests.app.operating import PASSWORD, Program, Site
from tests.app.serving import SECONDS, eventually, lives
from tests.e2e.openstack_program import OpenStackProgram
from tests.engine.receiver import Receiver

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")

HEAD = "heat_template_version: 2018-08-31\nresources:\n"
NETS = HEAD + "".join(f"  net{i}: {{type: OS::Neutron::Net}}\n" for i in range(5))
LINKS = 60
CHAIN = HEAD + "".join(
    f"  link{i}: {{type: OS::Heat::TestResource, properties: {{action_wait_secs: {{create: 0.5}}}}"
    f"{f', depends_on: link{i - 1}' if i else ''}}}\n"
    for i in range(LINKS)
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With tables, and an API without any engine."""
    with closing(Site(tmp_path_factory.mktemp("site"))) as found:
        assert found.manage("db", "sync").returncode == 0
        found.api()
        yield found


def cloud(site: Site, method: str, path: str, body: object = None) -> Any:
    """Call the small cloud's own controls."""
    url = site.auth_url.replace("/identity/v3", f"/devcloud{path}")
    data = None if body is None else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, kind, method=method)  # noqa: S310 - our own
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def networks(site: Site) -> list[str]:
    found = cloud(site, "GET", "/objects?kind=network.network")["objects"]
    return [each["name"] for each in found if each["name"].startswith("nets-")]


def complete(site: Site, name: str, id: str) -> int:
    resources = site.endpoint.resources(name, id)
    return sum(each["resource_status"] == "CREATE_COMPLETE" for each in resources)


@contextmanager
def paused(engine: Program, site: Site) -> Iterator[None]:
    """Hold an engine's process still for a moment, so that another has it all."""
    (worker,) = engine.workers
    os.kill(worker, signal.SIGSTOP)
    while not is_writable(site):  # it was stopped amid a commit
        os.kill(worker, signal.SIGCONT)
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


def is_writable(site: Site) -> bool:
    with closing(sqlite3.connect(site.folder / "stoker.db", timeout=1)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True


def next_event(site: Site, since: datetime) -> datetime | None:
    query = "SELECT min(created_at) FROM event WHERE created_at > ?"
    with closing(sqlite3.connect(site.folder / "stoker.db")) as connection:
        (found,) = connection.execute(query, (since.isoformat(" "),)).fetchone()
    return None if found is None else datetime.fromisoformat(found)


def found_dead(site: Site, worker: int) -> list[float | None]:
    """Return for how long the engine was seen to stand still that is known to be dead."""
    query = "SELECT still_seconds FROM service WHERE process LIKE ? AND deleted_at IS NOT NULL"
    with closing(sqlite3.connect(site.folder / "stoker.db")) as connection:
        return [found for (found,) in connection.execute(query, (f"%/{worker}/%",))]


def test_the_client_works_with_two_engines_and_an_api(site: Site, tmp_path: Path) -> None:
    site.engines(2)
    (tmp_path / "nets.yaml").write_text(NETS)
    (tmp_path / "more.yaml").write_text(f"{NETS}  one_more: {{type: OS::Neutron::Net}}\n")
    with closing(OpenStackProgram(site.clouds_yaml, tmp_path)) as openstack:
        for verb, template, size in (("create", "nets.yaml", 5), ("update", "more.yaml", 6)):
            openstack.ok("stack", verb, "--wait", "-t", template, "nets")
            shown = openstack.json("stack", "show", "nets")
            assert shown["stack_status"] == f"{verb.upper()}_COMPLETE"
            assert len(networks(site)) == size
        openstack.ok("stack", "delete", "--wait", "--yes", "nets")
    assert networks(site) == []


def test_when_an_engine_is_killed_amid_calls_another_goes_on_within_15_seconds(site: Site) -> None:
    first, second = site.engines(2)
    slow = {"service": "network", "method": "POST", "delay": 2, "late": True}
    cloud(site, "POST", "/faults", slow)
    with paused(second, site):
        id = site.endpoint.create("nets", NETS, {})
        eventually(lambda: networks(site))
        first.kill_all()
        killed_at = time.monotonic()
    cloud(site, "DELETE", "/faults")
    assert site.ended("nets", id) == "CREATE_COMPLETE"
    assert time.monotonic() - killed_at < 15
    assert len(networks(site)) == 5
    site.endpoint.delete("nets", id)
    assert site.ended("nets", id) == "DELETE_COMPLETE"
    assert networks(site) == []
    assert site.manage("service", "list").stdout.count("  down  ") == 1
    assert site.manage("service", "clean").stdout == "1 dead engines were removed from the list.\n"


def test_when_an_engine_is_told_to_end_another_takes_over_at_once(site: Site) -> None:
    first, _ = site.engines(2)
    id = site.endpoint.create("chain", CHAIN, {})
    eventually(lambda: complete(site, "chain", id))
    assert first.stop() == 0
    stopped_at = datetime.now(UTC).replace(tzinfo=None)
    assert complete(site, "chain", id) < LINKS
    eventually(lambda: next_event(site, stopped_at))
    taken_up_at = next_event(site, stopped_at)
    assert taken_up_at is not None
    assert taken_up_at - stopped_at < timedelta(seconds=2)
    site.endpoint.delete("chain", id)
    assert site.ended("chain", id) == "DELETE_COMPLETE"


def test_a_killed_worker_is_started_again_and_a_killed_parent_takes_its_workers_along(
    site: Site,
) -> None:
    engine = site.engine()
    (worker,) = engine.workers
    os.kill(worker, signal.SIGKILL)
    eventually(lambda: found_dead(site, worker))
    assert found_dead(site, worker) == [None], "nobody had to watch it"
    eventually(lambda: engine.workers not in ([], [worker]))
    (worker,) = engine.workers
    engine.process.kill()
    eventually(lambda: not lives(worker))


def test_a_hang_up_opens_the_log_anew(site: Site) -> None:
    engine = site.engine()
    log = site.folder / "stoker.log"
    log.rename(site.folder / "stoker.log.1")
    engine.process.send_signal(signal.SIGHUP)
    eventually(lambda: site.log.count("the log goes on") == 2)  # parent and worker
    assert engine.stop() == 0
    assert "stoker-engine has ended" in site.log
    before = (site.folder / "stoker.log.1").read_text()
    unread = "[DEFAULT] convergence_engine (there is one engine); [some_service_of_heat]"
    assert f"mean nothing here: {unread}" in before
    assert PASSWORD not in before + site.log


def test_types_that_the_operator_maps_are_known(site: Site, tmp_path: Path) -> None:
    site.engines(1)
    template = "heat_template_version: 2021-04-16\nresources: {a: {type: Site::Greeting}}\n"
    template += "outputs: {said: {value: {get_attr: [a, text]}}}\n"
    id = site.endpoint.create("greeting", template, {})
    assert site.ended("greeting", id) == "CREATE_COMPLETE"
    (said,) = site.endpoint.stack("greeting", id)["outputs"]
    assert said["output_value"] == "hello"
    with closing(OpenStackProgram(site.clouds_yaml, tmp_path)) as openstack:
        listed = openstack.ok("orchestration", "resource", "type", "list", "-f", "value")
    assert "Site::Greeting" in str(listed)
    site.endpoint.delete("greeting", id)
    assert site.ended("greeting", id) == "DELETE_COMPLETE"


def test_a_stack_can_be_given_up_and_purged_with_no_engine_about(site: Site) -> None:
    id = site.endpoint.create("left", CHAIN, {})
    said = site.manage("reset_stack_status", "--yes", id)
    assert said.returncode == 0, said.stderr
    stack = site.endpoint.stack("left", id)
    assert stack["stack_status"] == "CREATE_FAILED"
    assert stack["stack_status_reason"] == "Stack status manually reset"
    site.endpoint.delete("left", id)
    site.engine()
    assert site.ended("left", id) == "DELETE_COMPLETE"
    assert site.manage("purge_deleted", "0").returncode == 0
    with pytest.raises(StokerError, match="could not be found"):
        site.endpoint.stack("left", id)


def test_events_go_to_webhooks_but_to_no_private_address(site: Site) -> None:
    engine = site.engine()
    with Receiver() as receiver:
        sink = {"type": "webhook", "target": receiver.url()}
        what: dict[str, Any] = {"stack_name": "told", "template": HEAD[: HEAD.index("res")]}
        what["environment"] = {"event_sinks": [sink]}
        id = site.endpoint.call("POST", "/stacks", what)["stack"]["id"]
        eventually(lambda: f"of stack {id} are not taken" in site.log)
        assert "127.0.0.1 has no public address" in site.log
        assert receiver.received.empty()
        engine.stop()
        allowing = site.program("engine_service", {"OS_STOKER__FETCH_PRIVATE_ADDRESSES": "true"})
        assert [each.said for each in receiver.until("told CREATE_COMPLETE")] == [
            "told CREATE_IN_PROGRESS", "told CREATE_COMPLETE",
        ]  # fmt: skip
        assert allowing.stop() == 0


def test_what_cannot_work_is_told_in_a_line(site: Site, tmp_path: Path) -> None:
    conf = tmp_path / "stoker.conf"
    conf.write_text(site.conf.read_text().replace(f"{site.folder}/stoker.db", f"{tmp_path}/db"))
    with closing(Program("engine_service", "--config-file", str(conf))) as engine:
        _, error = engine.process.communicate(timeout=SECONDS)
        assert engine.process.returncode == 1
        assert b"run `stoker-manage db sync`" in error
        assert b"Traceback" not in error
    conf.write_text("[DEFAULT]\nmax_template_size = big\n")
    with closing(Program("api_service", "--config-file", str(conf))) as api:
        _, error = api.process.communicate(timeout=SECONDS)
        assert api.process.returncode == 2
        assert error.decode().startswith(f"stoker-api: {conf}: [DEFAULT] max_template_size: ")
        assert b"Traceback" not in error
    (tmp_path / "own.yaml").write_text("resource_registry: {A: gone.yaml}\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "own.yaml").rename(tmp_path / "own" / "own.yaml")
    conf.write_text(f"{site.conf.read_text()}\n[DEFAULT]\nenvironment_dir = {tmp_path}/own\n")
    with closing(Program("engine_service", "--config-file", str(conf))) as engine:
        _, error = engine.process.communicate(timeout=SECONDS)
        assert engine.process.returncode == 2
        assert error.decode().startswith(f"stoker-engine: {tmp_path}/own/own.yaml: gone.yaml: ")
        assert b"Traceback" not in error
