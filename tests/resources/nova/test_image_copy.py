from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import CloudError
from stoker.sdk.copies import CopyProps
from stoker.sdk.resource import At, Done, Next, Wait
from tests.resources.answering import Answering
from tests.resources.stepping import STACK, counted, kind_of

SERVER: Any = kind_of("OS::Nova::Server")
IMAGE: Any = SERVER.copies


def standing(**more: Any) -> At[CopyProps]:
    props = CopyProps.parse({"source": "s"})
    return At(props, "stack-srv-abc", "mark", "srv", STACK, counted(), **more)


def nova(image: str | None = None, *, status: str = "ACTIVE", task: str | None = None) -> Answering:
    server = {"id": "s", "status": status, "OS-EXT-STS:task_state": task}
    rows = [] if image is None else [{"id": "i", "status": image}]
    return Answering(
        {
            "/servers/s": {"server": server},
            "/servers/s/action": {"image_id": "i"},
            "/images": {"images": rows},
            "/images/i": rows[0] if rows else None,
        }
    )


def test_it_is_asked_of_nova_under_the_name_of_the_copy() -> None:
    cloud = nova()
    assert IMAGE.create(standing(), cloud) == Next(id="i", data={"asked": True})
    body = {"createImage": {"name": "stack-srv-abc", "metadata": {}}}
    assert cloud.changes == [("POST", "/servers/s/action", body)]


def test_an_id_that_nova_does_not_tell_is_looked_for_and_nothing_is_asked_again() -> None:
    cloud = nova()
    assert isinstance(IMAGE.create(standing(data={"asked": True}), cloud), Wait)
    assert cloud.changes == []
    cloud = nova("saving")
    assert IMAGE.create(standing(data={"asked": True}), cloud) == Next(id="i", data={"asked": True})
    assert cloud.changes == []


@pytest.mark.parametrize(
    "cloud", [nova("saving"), nova("queued"), nova("active", task="image_uploading")]
)
def test_it_waits_for_the_image_and_for_the_server(cloud: Answering) -> None:
    assert isinstance(IMAGE.create(standing(id="i"), cloud), Wait)


def test_it_is_done_when_both_are_at_rest() -> None:
    assert IMAGE.create(standing(id="i"), nova("active")) == Done()
    assert isinstance(IMAGE.create(standing(), nova(task="rebooting")), Wait)


def test_what_cannot_become_an_image_says_so() -> None:
    with pytest.raises(CloudError, match="the image i is in status killed"):
        IMAGE.create(standing(id="i"), nova("killed"))
    with pytest.raises(CloudError, match="no image can be taken of a server in status ERROR"):
        IMAGE.create(standing(), nova(status="ERROR"))


def test_a_dead_image_is_none() -> None:
    assert IMAGE.find(standing(), nova("killed")) is None
    assert IMAGE.find(standing(), nova("saving")) == Next(id="i")


def test_it_is_gone_when_glance_says_so() -> None:
    cloud = nova("active")
    assert isinstance(IMAGE.delete(standing(id="i"), cloud), Wait)
    assert cloud.changes == [("DELETE", "/images/i", None)]
    assert IMAGE.delete(standing(id="i"), nova()) == Done()
    assert IMAGE.delete(standing(), nova()) == Done()


def test_a_server_that_boots_from_a_volume_is_not_copied() -> None:
    boot = {"boot_index": 0, "volume_id": "v", "device_name": "vda"}
    by_volume = SERVER.Props.parse({"flavor": "f", "block_device_mapping_v2": [boot]})
    assert not SERVER.is_copied(by_volume)
    assert SERVER.is_copied(SERVER.Props.parse({"flavor": "f", "image": "i"}))
