"""Measure a fresh ``stoker serve``: creates, updates, reads, and the floor beside them.

What runs on any Heat comes from the shared benchmark script, so that both can be measured
the same way; where that script is not beside this checkout, only our own cases run. Wall
times of a shared machine are noisy: read the ratio to the floor, measured in the same run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stoker.cli.account import Account, account
from stoker.cli.child import served
from stoker.cli.endpoint import Endpoint, exchange

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "baseline"
SERVE = (sys.executable, "-m", "stoker.app")
CASES = ("flat:1000", "chain:50", "group:100", "update:1000", "latency:1000,20,100")
TARGETS = {  # seconds, on 2 cores
    "create of flat 1,000": 5.0,
    "update of 1,000 without change": 1.0,
    "stack show of 1,000": 0.030,
    "create of 500 ports": 15.0,
}
PORTS = 500


def main() -> None:
    """Run every case and print a line for each figure."""
    with tempfile.TemporaryDirectory(prefix="stoker-bench-") as directory:
        state = Path(directory) / "state"
        with served(SERVE, state):
            demo, admin = (account(state / "clouds.yaml", who) for who in ("demo", "admin"))
            token, urls = _access(demo)
            _lift_quota(admin, urls["orchestration"].rsplit("/", 1)[1])
            figures = _ports(Endpoint(demo))
            if (SHARED / "bench.py").exists():
                figures |= _shared(urls["orchestration"], token)
            else:
                print(f"# {SHARED} is not there: its cases are left out")
    for name, seconds in figures.items():
        print(f"{name:40} {seconds:8.3f} s{_verdict(name, seconds)}")
    if "create of flat 1,000" in figures and (SHARED / "floor.py").exists():
        floor = _floor(1000)
        ratio = figures["create of flat 1,000"] / floor
        print(f"{'floor: the same rows by a bare loop':40} {floor:8.3f} s")
        print(f"{'create of flat 1,000 / floor':40} {ratio:8.1f}")


def _verdict(name: str, seconds: float) -> str:
    if name not in TARGETS:
        return ""
    word = "met" if seconds < TARGETS[name] else "MISSED"
    return f"   target {TARGETS[name]:g} s {word}"


def _ports(endpoint: Endpoint) -> dict[str, float]:
    resources: dict[str, Any] = {
        "net": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "net"}, "cidr": "10.0.0.0/16"},
        },
    }
    for i in range(PORTS):
        resources[f"port{i}"] = {
            "type": "OS::Neutron::Port",
            "depends_on": "subnet",
            "properties": {"network": {"get_resource": "net"}},
        }
    template = {"heat_template_version": "2021-04-16", "resources": resources}
    began = time.monotonic()
    stack = endpoint.create("bench-ports", json.dumps(template), {})
    status = _ended(endpoint, "bench-ports", stack)
    seconds = time.monotonic() - began
    if status != "CREATE_COMPLETE":
        raise SystemExit(f"the stack of ports ended as {status}")
    began = time.monotonic()
    endpoint.delete("bench-ports", stack)
    _ended(endpoint, "bench-ports", stack)
    return {"create of 500 ports": seconds, "delete of 500 ports": time.monotonic() - began}


def _lift_quota(admin: Account, project: str) -> None:
    """Let the project have as many ports as it likes; the default is just as many as we make."""
    token, catalog = _access(admin)
    body = {"quota": {"port": -1}}
    url = f"{catalog['network']}/v2.0/quotas/{project}"
    exchange("PUT", url, body, {"X-Auth-Token": token}, "network")


def _access(who: Account) -> tuple[str, dict[str, str]]:
    """Return a token, and the public URL of each type of service."""
    answer, headers = exchange(
        "POST", f"{who.auth_url.rstrip('/')}/auth/tokens", who.login(), {}, "identity"
    )
    urls = {
        service["type"]: endpoint["url"].rstrip("/")
        for service in answer["token"]["catalog"]
        for endpoint in service["endpoints"]
        if endpoint["interface"] == "public"
    }
    return headers["X-Subject-Token"], urls


def _ended(endpoint: Endpoint, name: str, stack: str) -> str:
    while (status := str(endpoint.stack(name, stack)["stack_status"])).endswith("IN_PROGRESS"):
        time.sleep(0.05)
    return status


def _shared(url: str, token: str) -> dict[str, float]:
    command = (sys.executable, str(SHARED / "bench.py"), *CASES)
    environment = {**os.environ, "ENDPOINT": url, "OS_TOKEN": token, "BENCH_RUNS": "3"}
    lines = _run(command, environment)
    for line in lines:
        print(line)
    return dict(_figures([json.loads(line) for line in lines if line.startswith("{")]))


NAMES = {
    ("flat", "create"): "create of flat 1,000",
    ("flat", "delete"): "delete of flat 1,000",
    ("chain", "create"): "create of a chain of 50",
    ("group", "create"): "create of a group of 100",
    ("update-noop", "update"): "update of 1,000 without change",
    ("update-one", "update"): "update of one in 1,000",
}
CALLS = {
    "stack show of 1000": "stack show of 1,000",
    "resource list of 1000": "resource list of 1,000",
}


def _figures(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    for row in rows:
        if row.get("error") or row.get("bad") or row.get("errors"):
            raise SystemExit(f"a case failed: {row}")
        if row["bench"] == "latency" and row["call"] in CALLS and row["clients"] == 1:
            yield CALLS[row["call"]], row["p50_ms"] / 1000
        elif (row["bench"], row.get("phase")) in NAMES:
            yield NAMES[row["bench"], row["phase"]], row["median_s"]


def _floor(n: int) -> float:
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "FLOOR_SQLITE": str(Path(directory) / "floor.sqlite")}
        command = (sys.executable, str(SHARED / "floor.py"), "sqlite-normal", "flat", str(n))
        text = "\n".join(_run(command, environment))
    found = re.search(r"=\s*(\d+) us/res", text)
    if found is None:
        raise SystemExit(f"the floor printed no figure: {text}")
    return int(found[1]) * n / 1e6


def _run(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    done = subprocess.run(  # noqa: S603 - our own scripts
        command, env=dict(environment), check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
