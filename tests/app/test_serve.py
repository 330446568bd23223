"""``stoker serve`` from outside: what it says, what it leaves, how it ends and starts again."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.app.serving import TEMPLATE, Serving, answers, created, eventually, lives
from tests.engine.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One for all tests that leave it as it was."""
    with closing(Serving(tmp_path_factory.mktemp("running") / "state")) as found:
        yield found


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    with closing(Serving(tmp_path / "state")) as found:
        yield found


def start(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "stoker.app", "serve", *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_what_it_says_when_ready_is_true(running: Serving) -> None:
    port = running.ports["api"]
    assert f"http://127.0.0.1:{port}/v1" in running.greeting
    assert str(running.state / "clouds.yaml") in running.greeting
    assert answers(f"http://127.0.0.1:{port}/healthcheck")
    id = created(running.endpoint, "one")
    assert running.endpoint.stack("one", id)["stack_name"] == "one"


def test_what_it_says_can_be_pasted_into_another_terminal(running: Serving) -> None:
    said = running.greeting.partition("another terminal:\n")[2]
    commands = [line for line in said.splitlines() if line.startswith("  ")]
    assert "stoker deploy" in commands[2]
    assert "openstack stack create" in commands[-2]
    asks = [index for index, line in enumerate(commands) if "stoker delete" in line]
    for index in asks:  # who has no terminal cannot be asked
        commands[index] += " --yes"
    ran = subprocess.run(
        ("sh", "-e"),
        input="\n".join(commands),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert "CREATE_COMPLETE" in ran.stdout
    assert len(asks) == 1
    left = running.endpoint.call("GET", "/stacks")["stacks"]
    assert "first" not in {each["stack_name"] for each in left}


def test_it_sends_events_where_an_environment_says(running: Serving, tmp_path: Path) -> None:
    template, environment = tmp_path / "template.yaml", tmp_path / "environment.yaml"
    template.write_text(TEMPLATE)
    with Receiver() as receiver:
        sink = {"type": "webhook", "target": receiver.url(), "secret": "word"}
        environment.write_text(yaml.safe_dump({"event_sinks": [sink]}))
        command = (sys.executable, "-m", "stoker.app", "deploy", "told", "-t", str(template))
        done = subprocess.run(
            (*command, "-e", str(environment)),
            env={**os.environ, "OS_CLIENT_CONFIG_FILE": str(running.state / "clouds.yaml"),
                 "OS_CLOUD": "demo"},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = receiver.until("told CREATE_COMPLETE")
    assert {each.said for each in found} >= {"word CREATE_COMPLETE"}
    assert all(each.headers["webhook-signature"].startswith("v1,") for each in found)


def test_all_that_it_writes_is_for_its_owner_alone(running: Serving) -> None:
    created(running.endpoint, "modes")
    assert stat.S_IMODE(running.state.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in running.state.iterdir()}
    assert {"clouds.yaml", "key", "stoker.db", "devcloud.db", "stoker.log"} <= modes.keys()
    assert set(modes.values()) == {0o600}


def test_the_password_is_in_clouds_yaml_and_nowhere_else(running: Serving) -> None:
    created(running.endpoint, "secret")
    clouds = yaml.safe_load((running.state / "clouds.yaml").read_text())["clouds"]
    assert {"demo", "admin"} <= clouds.keys()
    password = clouds["demo"]["auth"]["password"].encode()
    holders = [path.name for path in running.state.iterdir() if password in path.read_bytes()]
    assert holders == ["clouds.yaml"]
    processes = (running.process.pid, *running.children)
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes]
    assert len(lines) == 2
    assert not any(password in line for line in lines)


def test_ctrl_c_ends_it_and_all_its_children(serving: Serving) -> None:
    children = serving.children
    assert children
    assert serving.stop(signal.SIGINT) == 0
    assert not any(lives(pid) for pid in children)


def test_a_signal_to_all_its_processes_ends_it_cleanly_too(serving: Serving) -> None:
    processes = (*serving.children, serving.process.pid)
    for pid in processes:
        os.kill(pid, signal.SIGTERM)
    assert serving.ended() == 0
    assert not any(lives(pid) for pid in processes)
    assert "starting it again" not in (serving.state / "stoker.log").read_text()


def test_it_ends_in_order_also_when_nobody_reads_what_it_says(serving: Serving) -> None:
    assert serving.process.stdout is not None
    serving.process.stdout.close()
    serving.process.stdout = None
    assert serving.stop() == 0


def test_it_ends_with_its_starter_when_told_to(tmp_path: Path) -> None:
    with closing(Serving(tmp_path / "state", "--until-eof")) as serving:
        serving.hang_up()
        assert serving.ended() == 0


def test_after_a_kill_of_everything_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with closing(Serving(tmp_path / "state")) as first:
        id = created(first.endpoint, "kept")
        slow = TEMPLATE.replace("word:", "word2:").replace("RandomString", "TestResource")
        slow += "    properties: {value: a, wait_secs: 2}\n"
        going = first.endpoint.create("going", slow, {})
        ports = first.ports
        first.kill_all()
    with closing(Serving(tmp_path / "state")) as second:
        assert second.ports == ports
        endpoint = second.endpoint
        assert endpoint.stack("kept", id)["stack_status"] == "CREATE_COMPLETE"
        eventually(lambda: endpoint.stack("going", going)["stack_status"] == "CREATE_COMPLETE", 15)
        endpoint.delete("kept", id)
        eventually(lambda: endpoint.stack("kept", id)["stack_status"] == "DELETE_COMPLETE")


def test_when_its_main_process_is_killed_its_child_ends_and_it_can_be_started_at_once(
    tmp_path: Path,
) -> None:
    with closing(Serving(tmp_path / "state")) as first:
        children = first.children
        id = created(first.endpoint, "kept")
        first.process.kill()
        with closing(Serving(tmp_path / "state")) as second:
            first.ended()
            assert not any(lives(pid) for pid in children)
            assert second.endpoint.stack("kept", id)["stack_status"] == "CREATE_COMPLETE"


def test_a_killed_cloud_is_started_again_and_that_is_told(running: Serving) -> None:
    endpoint = running.endpoint
    created(endpoint, "before")
    (child,) = running.children
    os.kill(child, signal.SIGKILL)
    eventually(lambda: running.children not in ([], [child]))
    assert answers(f"http://127.0.0.1:{running.ports['devcloud']}/identity/v3")
    created(running.endpoint, "after")
    assert "starting it again" in (running.state / "stoker.log").read_text()


def test_a_second_start_on_the_same_directory_is_refused(running: Serving) -> None:
    ports = ("--port", "0", "--cfn-port", "0", "--devcloud-port", "0")
    refused = start("--state", str(running.state), *ports)
    assert refused.returncode == 3
    assert f"process {running.process.pid}" in refused.stderr
    assert "--state" in refused.stderr
    assert "Traceback" not in refused.stderr
    created(running.endpoint, "still-there")


@pytest.mark.parametrize("option", ["--port", "--cfn-port", "--devcloud-port"])
def test_a_taken_port_is_told_with_what_to_do(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ports = {"--port": 0, "--cfn-port": 0, "--devcloud-port": 0, option: port}
        arguments = [text for name, value in ports.items() for text in (name, str(value))]
        refused = start("--state", str(tmp_path / "state"), *arguments)
    assert refused.returncode == 3
    assert f"port {port}" in refused.stderr
    assert option in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_directory_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = start("--state", str(tmp_path / "file" / "state"))
    assert refused.returncode == 1
    assert "cannot keep the state" in refused.stderr
    assert "Traceback" not in refused.stderr
