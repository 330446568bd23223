"""The server as a process: killed, started again, and used by many at once."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.devcloud.client import Client

Start = Callable[..., tuple[subprocess.Popen[str], Client]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a cloud of its own process on this test's state file."""
    running: list[tuple[subprocess.Popen[str], Client]] = []

    def started(*options: str) -> tuple[subprocess.Popen[str], Client]:
        command = [sys.executable, "-m", "stoker.devcloud", "--port", "0"]
        command += ["--state", str(tmp_path / "cloud.sqlite"), *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"ready at (\S+)", process.stdout.readline())
        assert found is not None
        running.append((process, Client(found.group(1))))
        return running[-1]

    yield started
    for process, client in running:
        client.close()
        process.kill()
        process.communicate()


def test_a_killed_cloud_goes_on_with_what_it_answered(start: Start, tmp_path: Path) -> None:
    process, client = start("--password", "a-long-password")
    demo = client.user("demo", password="a-long-password")
    image = demo.call("POST", "/image/v2/images", {"name": "kept"}).body
    client.call("PUT", "/devcloud/latency", {"compute": {"boot": 9}})
    process.kill()
    process.wait()
    _, again = start("--password", "a-long-password")
    same = again.with_token(demo.token)
    assert same.get(f"/image/v2/images/{image['id']}").body["name"] == "kept"
    assert again.get("/devcloud/latency").body["latency"] == {"compute": {"boot": 9}}
    assert len(same.get("/image/v2/images?visibility=public").body["images"]) == 3
    catalog = same.me()["catalog"]
    [compute] = [service for service in catalog if service["type"] == "compute"]
    assert compute["endpoints"][0]["url"] == f"{again.url}/compute/v2.1"
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("cloud.sqlite*"))
    assert image["id"].encode() in kept
    assert demo.token.encode() not in kept
    assert b"a-long-password" not in kept


def test_a_cloud_ends_on_a_signal(start: Start) -> None:
    process, client = start()
    assert client.get("/").status == 200
    process.terminate()
    assert process.wait(timeout=20) == 0


def test_many_clients_at_once_get_what_each_asked_for(demo: Client) -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        own = demo.with_token(demo.token)
        for n in range(20):
            name = f"{number}-{n}-{uuid4().hex}"
            made = own.call("POST", "/image/v2/images", {"name": name})
            seen = own.get(f"/image/v2/images/{made.body['id']}")
            gone = own.call("DELETE", f"/image/v2/images/{made.body['id']}")
            if (made.status, seen.body["name"], gone.status) != (201, name, 204):
                failures.append((made, seen, gone))
        own.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_fresh_state_that_cannot_be_opened_stops_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stoker.devcloud", "--port", "0", "--state", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert done.returncode != 0
    assert b"unable to open database file" in done.stderr
