"""Measure what APIs answer to several clients at once, side by side: requests a second, and p95.

usage: OS_TOKEN=... python -m benchmarks.clients URL [URL ...]   (.../v1/<project>, any Heat)

Each URL gets a stack of its own, and its turn in every round, so that whatever else the machine
does hits all alike: read the ratios to the first one.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

CLIENTS = 8
ROUNDS = 5
RESOURCES = 500
IN_TEMPLATE = 200
REQUESTS = {"resource list": 160, "validate": 160, "resource show": 640, "stack list": 640}
"""In a round; many enough that a p95 is no single answer."""


@dataclass(frozen=True)
class Api:
    """One API under measurement, and its stack."""

    url: str
    stack: str
    id: str


@dataclass(frozen=True)
class Figures:
    """Of one round: requests a second, and milliseconds."""

    rate: float
    median: float
    p95: float


def main(urls: Sequence[str]) -> None:
    """Measure every case, and print a line for each API."""
    apis = [_furnished(url) for url in urls]
    for case, count in REQUESTS.items():
        found: dict[str, list[Figures]] = {api.url: [] for api in apis}
        for api in apis:
            _round(api, case, 3 * CLIENTS)  # what a process does but once
        for _ in range(ROUNDS):
            for api in apis:
                found[api.url].append(_round(api, case, count))
        _print(case, found)
    for api in apis:
        _asked(api.url)("DELETE", f"/stacks/{api.stack}/{api.id}", None)


def _furnished(url: str) -> Api:
    ask, name = _asked(url), f"bench-{uuid.uuid4().hex[:8]}"
    made = ask("POST", "/stacks", {"stack_name": name, "template": _flat(RESOURCES)})
    api = Api(url, name, json.loads(made)["stack"]["id"])
    while True:
        status = json.loads(ask("GET", f"/stacks/{name}/{api.id}", None))["stack"]["stack_status"]
        if status == "CREATE_COMPLETE":
            return api
        if not status.endswith("IN_PROGRESS"):
            raise SystemExit(f"the stack at {url} ended as {status}")
        time.sleep(0.5)


def _flat(count: int, description: str = "") -> dict[str, Any]:
    one = {"type": "OS::Heat::RandomString", "properties": {"length": 16}}
    resources = {f"r{i}": one for i in range(count)}
    text = {"heat_template_version": "2021-04-16", "description": description}
    return {**text, "resources": resources}


def _round(api: Api, case: str, count: int) -> Figures:
    seconds: list[float] = []
    left = itertools.count()

    def client() -> None:
        ask = _asked(api.url)
        while next(left) < count:
            verb, path, body = _request(api, case)
            began = time.perf_counter()
            ask(verb, path, body)
            seconds.append(time.perf_counter() - began)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - began
    if len(seconds) < count:
        raise SystemExit(f"{count - len(seconds)} of {count} requests failed: {case} at {api.url}")
    rank = sorted(each * 1000 for each in seconds)
    return Figures(count / passed, statistics.median(rank), rank[int(count * 0.95)])


def _request(api: Api, case: str) -> tuple[str, str, Any]:
    stack = f"/stacks/{api.stack}/{api.id}"
    if case == "validate":  # another one each time: nobody can have it ready
        return "POST", "/validate", {"template": _flat(IN_TEMPLATE, uuid.uuid4().hex)}
    paths = {
        "resource list": f"{stack}/resources",
        "resource show": f"{stack}/resources/r7",
        "stack list": "/stacks",
    }
    return "GET", paths[case], None


def _asked(url: str) -> Callable[[str, str, Any], bytes]:
    """Return what sends a request over a connection of its own, and gives the answer's body."""
    parts = urlsplit(url.rstrip("/"))
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=300)
    headers = {"X-Auth-Token": os.environ["OS_TOKEN"], "Content-Type": "application/json"}

    def ask(verb: str, path: str, body: Any) -> bytes:
        data = None if body is None else json.dumps(body)
        connection.request(verb, parts.path + path, data, headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status >= 300:  # noqa: PLR2004 - what is no success
            raise SystemExit(f"{verb} {path}: {answer.status} {said[:300]!r}")
        return said

    return ask


def _print(case: str, found: dict[str, list[Figures]]) -> None:
    base: Figures | None = None
    for url, rounds in found.items():
        rate, median, p95 = (
            statistics.median(getattr(each, name) for each in rounds)
            for name in ("rate", "median", "p95")
        )
        base = base or Figures(rate, median, p95)
        ratios = f"{rate / base.rate:5.1f} times as many, p95 {base.p95 / p95:5.1f} times lower"
        figures = f"{rate:8.1f}/s  p50 {median:7.1f} ms  p95 {p95:7.1f} ms"
        print(f"{case:14} {figures}  {ratios}  {url}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
