"""Answers have exactly the fields that the real service's answers were recorded with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.devcloud.cinder.block import Block
from tests.devcloud.cinder.test_type import new_qos, new_type
from tests.devcloud.client import Client

Fields = dict[str, set[frozenset[str]]]


@pytest.fixture(scope="module")
def exchanges(shared: Path) -> list[Any]:
    """Return every recorded case of a Cinder type."""
    paths = sorted((shared / "facts" / "requests").glob("OS-Cinder-*.json"))
    return [case for path in paths for case in json.loads(path.read_text())["cases"]]


def _answers(exchanges: list[Any]) -> Fields:
    """Give the sets of fields of each answer to a change, by its wrapper key."""
    found: Fields = {}
    for case in exchanges:
        for request in (r for step in case["steps"] for r in step["requests"]):
            answer = request.get("response")
            if request["service"] == "cinder" and isinstance(answer, dict):
                for key, value in answer.items():
                    if isinstance(value, dict):
                        found.setdefault(key, set()).add(frozenset(value))
    return found


def _shown(exchanges: list[Any], user: str) -> set[frozenset[str]]:
    """Give the sets of fields with which volumes were shown to a user."""
    steps = [s for case in exchanges if case["user"] == user for s in case["steps"]]
    found = [(step.get("resource") or {}).get("attributes") or {} for step in steps]
    return {frozenset(volume) for volume in found if "os-vol-tenant-attr:tenant_id" in volume}


def test_answers_have_the_recorded_fields(block: Block, chief: Block, exchanges: list[Any]) -> None:
    recorded = _answers(exchanges)
    volume = block.post("volumes", {"size": 1})
    there = block.until("volumes", volume["id"], "available")
    type = new_type(chief)
    encryption = {"encryption": {"provider": "luks", "cipher": "aes", "key_size": 256}}
    path = f"types/{type['id']}"
    made = chief.call("POST", f"{path}/encryption", encryption).body["encryption"]
    renamed = chief.call("PUT", path, {"volume_type": {"description": "x"}}).body["volume_type"]
    backup = block.post("backups", {"volume_id": there["id"]})
    ours = {
        "volume": volume,
        "backup": backup,
        "volume_type": type,
        "qos_specs": new_qos(chief, a="b"),
        "encryption": made,
    }
    for key, answer in ours.items():
        assert frozenset(answer) in recorded[key], key
    assert frozenset(renamed) in recorded["volume_type"]


def test_volumes_are_shown_with_the_recorded_fields(
    block: Block, chief: Block, anybody: Client, exchanges: list[Any]
) -> None:
    (image,) = anybody.user("demo").get("/image/v2/images?name=ubuntu-24.04").body["images"]
    plain, of_image = block.volume(), block.volume(imageRef=image["id"])
    assert {frozenset(plain), frozenset(of_image)} == _shown(exchanges, "member")
    assert {frozenset(chief.volume())} == _shown(exchanges, "admin")
