"""Answers have exactly the fields that the real services' answers were recorded with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.devcloud.nova.compute import Compute

WITH_MORE_FIELDS = {"security_group_rule": {"tags"}}
"""Where our answers say more than those of the real services."""

Fields = dict[str, set[frozenset[str]]]


@pytest.fixture(scope="module")
def recorded(shared: Path) -> Fields:
    """Return the sets of fields of each answer to a member's POST, by its wrapper key."""
    found: Fields = {}
    for path in sorted((shared / "facts" / "requests").glob("OS-N*.json")):
        for case in json.loads(path.read_text())["cases"]:
            if case["user"] == "member":
                _collect(case, found)
    return found


def _collect(case: Any, found: Fields) -> None:
    for step in case["steps"]:
        for request in step["requests"]:
            is_ours = request["service"] in ("neutron", "nova") and request["method"] == "POST"
            answer = request.get("response")
            if is_ours and request["status"] < 300 and isinstance(answer, dict):
                for key, value in answer.items():
                    if isinstance(value, dict):
                        found.setdefault(key, set()).add(frozenset(value))


def test_answers_have_the_recorded_fields(compute: Compute, recorded: Fields) -> None:
    t = compute.tenant
    network, subnet = t.network()
    port = t.make("ports", network_id=network["id"])
    group = t.make("security-groups", name="g")
    rule = {"security_group_id": group["id"], "direction": "ingress"}
    (public,) = t.list("networks", "name=public")
    body = {"server_group": {"name": "g", "policy": "affinity"}}
    answers = {
        "network": network,
        "subnet": subnet,
        "port": port,
        "security_group": group,
        "security_group_rule": t.make("security-group-rules", **rule),
        "router": t.make("routers", external_gateway_info={"network_id": public["id"]}),
        "floatingip": t.make("floatingips", floating_network_id=public["id"]),
        "subnetpool": t.make("subnetpools", name="p", prefixes=["10.9.0.0/16"]),
        "server": compute.create(),
        "server_group": compute.call("POST", "os-server-groups", body).body["server_group"],
    }
    ours = {
        key: {frozenset(set(answer) - WITH_MORE_FIELDS.get(key, set()))}
        for key, answer in answers.items()
    }
    assert ours == {key: recorded[key] for key in answers}
