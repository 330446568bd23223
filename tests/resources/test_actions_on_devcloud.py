"""What a check sees, and servers put to rest and woken, in the embedded cloud."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import CloudError, CloudNotFound
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Done, Next
from tests.resources.scene import FLAVOR, IMAGE
from tests.resources.stepping import kind_of, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.clouds.one_cloud import OneCloud
    from stoker.sdk.resource import At
    from tests.resources.scene import Scene

MOST_STEPS = 80
MOST_SECONDS = 0.1
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@example"
SERVER = {"image": IMAGE, "flavor": FLAVOR, "networks": [{"allocate_network": "none"}]}


@pytest.fixture
def cloud(scene: Scene) -> OneCloud:
    return scene.cloud("demo")


def ended(verb: str, at: At[Any], type_name: str, cloud: OneCloud) -> tuple[At[Any], Done]:
    """Take a verb's steps to the last; return where that leaves the resource."""
    at = replace(at, data={})
    for _ in range(MOST_STEPS):
        step = getattr(kind_of(type_name), verb)(at, cloud)
        if isinstance(step, Done):
            return replace(at, id=step.id or at.id, data={}), step
        data = at.data if step.data is None else step.data
        at = replace(at, id=step.id or at.id, data=data)
        if not isinstance(step, Next):
            time.sleep(min(step.seconds, MOST_SECONDS))  # due times are the engine's
    raise AssertionError(f"{verb} does not end")


def made(type_name: str, cloud: OneCloud, given: Mapping[str, Any], name: str) -> At[Any]:
    at = replace(standing(type_name, given), name=name, mark=f"mark-of-{name}")
    return ended("create", at, type_name, cloud)[0]


@pytest.mark.parametrize(
    ("type_name", "given"),
    [
        ("OS::Neutron::Net", {}),
        ("OS::Neutron::Port", {"network": "$net1"}),
        ("OS::Neutron::Router", {}),
        ("OS::Nova::KeyPair", {"name": "checked", "public_key": KEY}),
        ("OS::Nova::Server", SERVER),
        ("OS::Cinder::Volume", {"size": 1}),
    ],
)
def test_a_check_finds_what_is_well_and_misses_what_is_gone(
    scene: Scene, cloud: OneCloud, type_name: str, given: Mapping[str, Any]
) -> None:
    at = made(type_name, cloud, scene.filled(given), "checked")
    after, done = ended("check", at, type_name, cloud)
    assert (after.id, done.data) == (at.id, {})
    ended("delete", at, type_name, cloud)
    with pytest.raises(CloudNotFound) as caught:
        ended("check", at, type_name, cloud)
    assert fault(caught.value) is Fault.FATAL


def test_an_error_of_the_object_is_found(scene: Scene, cloud: OneCloud) -> None:
    at = made("OS::Nova::Server", cloud, SERVER, "broken")
    act = set_state(scene.cloud("admin"), at.owned)
    act("error")
    with pytest.raises(CloudError, match="Went to status ERROR"):
        ended("check", at, "OS::Nova::Server", cloud)
    act("active")
    ended("check", at, "OS::Nova::Server", cloud)
    ended("delete", at, "OS::Nova::Server", cloud)


def set_state(cloud: OneCloud, id: str) -> Callable[[str], object]:
    def act(state: str) -> object:
        return cloud.compute.post(f"/servers/{id}/action", {"os-resetState": {"state": state}})

    return act


def test_a_server_is_put_to_rest_and_woken(cloud: OneCloud) -> None:
    type_name = "OS::Nova::Server"
    at = made(type_name, cloud, SERVER, "sleeper")
    for _ in range(2):  # what is there already is not asked again
        _, done = ended("suspend", at, type_name, cloud)
        assert done.attributes["show"]["status"] == "SUSPENDED"
    with pytest.raises(CloudError, match="the server is SUSPENDED, not ACTIVE"):
        ended("check", at, type_name, cloud)
    for _ in range(2):
        _, done = ended("resume", at, type_name, cloud)
        assert done.attributes["show"]["status"] == "ACTIVE"
    cloud.compute.post(f"/servers/{at.owned}/action", {"os-stop": None})
    with pytest.raises(CloudError, match="only one that is ACTIVE can suspend") as caught:
        ended("suspend", at, type_name, cloud)
    assert fault(caught.value) is Fault.BROKEN, "no waiting mends it"
    ended("delete", at, type_name, cloud)
