from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import CloudError, CloudNotFound
from stoker.sdk.copies import CopyProps
from stoker.sdk.resource import At, Done, Next, Wait
from tests.resources.answering import Answering
from tests.resources.stepping import STACK, counted, kind_of

BACKUP: Any = kind_of("OS::Cinder::Volume").copies


def standing(**more: Any) -> At[CopyProps]:
    props = CopyProps.parse({"source": "v"})
    return At(props, "stack-vol-abc", "mark", "vol", STACK, counted(), **more)


def cinder(status: str, backup: str | None = None) -> Answering:
    rows = [] if backup is None else [{"id": "b", "status": backup}]
    return Answering(
        {
            "/volumes/v": {"volume": {"id": "v", "status": status}},
            "/backups/detail": {"backups": rows},
            "/backups/b": {"backup": rows[0]} if rows else None,
            "/backups": {"backup": {"id": "b"}},
        }
    )


def test_it_is_made_of_a_volume_in_use_too_under_the_name_of_the_copy() -> None:
    cloud = cinder("in-use")
    assert BACKUP.create(standing(), cloud) == Next(id="b")
    assert cloud.changes == [
        ("POST", "/backups", {"backup": {
            "volume_id": "v", "name": "stack-vol-abc", "incremental": False, "force": True,
            "container": None, "description": None, "snapshot_id": None,
        }}),
    ]  # fmt: skip


def test_it_waits_for_a_volume_that_cinder_works_on_and_for_its_own_end() -> None:
    cloud = cinder("backing-up")
    assert isinstance(BACKUP.create(standing(), cloud), Wait)
    cloud = cinder("available", "creating")
    assert isinstance(BACKUP.create(standing(id="b"), cloud), Wait)
    assert BACKUP.create(standing(id="b"), cinder("available", "available")) == Done()
    assert cloud.changes == []


def test_one_that_went_wrong_fails_and_is_not_found_again() -> None:
    with pytest.raises(CloudError, match="Volume backup failed: b is in status error"):
        BACKUP.create(standing(id="b"), cinder("available", "error"))
    assert BACKUP.find(standing(), cinder("available", "error")) is None
    assert BACKUP.find(standing(), cinder("available", "creating")) == Next(id="b")


@pytest.mark.parametrize("status", ["creating", "deleting", "restoring"])
def test_a_deletion_waits_for_what_cinder_does_with_it(status: str) -> None:
    cloud = cinder("available", status)
    assert isinstance(BACKUP.delete(standing(id="b"), cloud), Wait)
    assert cloud.changes == []


def test_it_is_gone_when_cinder_says_so() -> None:
    cloud = cinder("available", "available")
    asked = BACKUP.delete(standing(id="b"), cloud)
    assert isinstance(asked, Wait)
    assert cloud.changes == [("DELETE", "/backups/b", None)]
    assert BACKUP.delete(standing(id="b", data=asked.data), cinder("available")) == Done()
    assert BACKUP.delete(standing(), cinder("available")) == Done()


def test_one_that_cannot_be_deleted_says_so_once_it_was_asked_for() -> None:
    cloud = cinder("available", "error_deleting")
    asked = BACKUP.delete(standing(id="b"), cloud)
    assert cloud.changes == [("DELETE", "/backups/b", None)]
    with pytest.raises(CloudError, match="went to status error_deleting"):
        BACKUP.delete(standing(id="b", data=asked.data), cloud)


def test_a_volume_that_is_gone_cannot_be_copied() -> None:
    with pytest.raises(CloudNotFound):
        BACKUP.create(standing(), Answering({}))
