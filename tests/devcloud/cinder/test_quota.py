"""Quotas: what goes over is refused with a 413 that names the quota."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.cinder.block import Block


def limit(chief: Block, block: Block, **limits: Any) -> None:
    answer = chief.call("PUT", f"os-quota-sets/{block.project_id}", {"quota_set": limits})
    assert answer.status == 200, answer.body


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"volumes": 1}, "Maximum number of volumes allowed (1) exceeded for quota 'volumes'."),
        ({"volumes_fake": 1}, "exceeded for quota 'volumes_fake'."),
        ({"gigabytes": 3}, "exceeds allowed gigabytes quota. Requested 2G, quota is 3G and 2G"),
        ({"gigabytes_fake": 3}, "exceeds allowed gigabytes_fake quota."),
        ({"per_volume_gigabytes": 1}, "larger than maximum allowed limit 1."),
    ],
)
def test_a_volume_too_many_is_refused_by_name(
    block: Block, chief: Block, limits: dict[str, int], told: str
) -> None:
    first = block.volume(size=2)
    limit(chief, block, **limits)
    answer = block.call("POST", "volumes", {"volume": {"size": 2}})
    assert answer.status == 413
    fault = answer.body["overLimit"]
    assert (told in fault["message"], fault["retryAfter"]) == (True, "0"), fault
    assert answer.headers["Retry-After"] == "0"
    assert [each["id"] for each in block.listed("volumes")] == [first["id"]]


def test_growth_snapshots_and_backups_count(block: Block, chief: Block) -> None:
    volume = block.volume(size=2)
    limit(chief, block, gigabytes=3, snapshots=0, backups=0)
    growth = block.act(volume["id"], "os-extend", {"new_size": 4})
    assert (growth.status, "gigabytes" in str(growth.body)) == (413, True)
    status, told = block.refusal_over("snapshots", volume_id=volume["id"])
    assert (status, "gigabytes quota" in told) == (413, True)
    limit(chief, block, gigabytes=4)
    status, told = block.refusal_over("snapshots", volume_id=volume["id"])
    assert (status, "'snapshots'" in told) == (413, True)
    status, told = block.refusal_over("backups", volume_id=volume["id"])
    assert (status, "'backups'" in told) == (413, True)
    limit(chief, block, backups=1, backup_gigabytes=1)
    status, told = block.refusal_over("backups", volume_id=volume["id"])
    assert (status, "Backup gigabytes" in told) == (413, True)


def test_what_is_deleted_no_longer_counts(block: Block, chief: Block) -> None:
    volume = block.volume(size=2)
    snapshot = block.make("snapshots", volume_id=volume["id"])
    backup = block.make("backups", volume_id=volume["id"])
    block.until("volumes", volume["id"], "available")
    assert block.done(volume["id"], "os-extend", {"new_size": 3})["id"] == volume["id"]
    usage = block.listed(f"os-quota-sets/{block.project_id}?usage=true")
    used = {name: each["in_use"] for name, each in usage.items() if name != "id"}
    assert (used["volumes"], used["snapshots"], used["backups"]) == (1, 1, 1)
    assert (used["gigabytes"], used["gigabytes_fake"], used["backup_gigabytes"]) == (5, 5, 2)
    limits = block.listed("limits")["absolute"]
    assert (limits["totalVolumesUsed"], limits["totalGigabytesUsed"]) == (1, 5)
    block.until("volumes", volume["id"], "available")
    for path in (f"snapshots/{snapshot['id']}", f"backups/{backup['id']}"):
        assert block.call("DELETE", path).status == 202
        block.gone(path)
    assert block.call("DELETE", f"volumes/{volume['id']}").status == 202
    block.gone(f"volumes/{volume['id']}")
    usage = block.listed(f"os-quota-sets/{block.project_id}?usage=true")
    assert {each["in_use"] for name, each in usage.items() if name != "id"} == {0}


def test_a_retype_counts_with_the_new_type_alone(block: Block, chief: Block) -> None:
    volume = block.volume()
    limit(chief, block, volumes=1, volumes___DEFAULT__=0)
    refused = block.act(volume["id"], "os-retype", {"new_type": "__DEFAULT__"})
    assert (refused.status, "volumes___DEFAULT__" in str(refused.body)) == (413, True)
    limit(chief, block, volumes___DEFAULT__=1)
    assert block.act(volume["id"], "os-retype", {"new_type": "__DEFAULT__"}).status == 202


def test_quota_sets_are_the_administrators_to_change(
    block: Block, other: Block, chief: Block
) -> None:
    path = f"os-quota-sets/{block.project_id}"
    body = {"quota_set": {"volumes": 5}}
    assert block.refused("PUT", path, body)[0] == 403
    assert other.refused("GET", path)[0] == 403
    set_ = chief.call("PUT", path, {"quota_set": {"volumes": "5", "gigabytes": -1}}).body
    assert (set_["quota_set"]["volumes"], "id" in set_["quota_set"]) == (5, False)
    assert block.listed(path)["volumes"] == 5
    for wrong in ({"volumes": -2}, {"volumes": "many"}, {"houses": 1}):
        assert chief.refused("PUT", path, {"quota_set": wrong})[0] == 400
    assert chief.call("DELETE", path).status == 200
    assert block.listed(path) == block.listed(f"{path}/defaults")
    assert block.listed(path)["id"] == block.project_id
    assert chief.listed("os-quota-class-sets/default")["volumes"] == block.listed(path)["volumes"]
