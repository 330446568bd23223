"""Whatever answer is lost, there is in the end what there would be, and nothing besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.resources.stepping import Life
from tests.resources.toy_cloud import ToyCloud

Given = Mapping[str, Any]

STORIES: Mapping[str, tuple[str, Given, Given]] = {
    "a network": ("OS::Neutron::Net", {}, {"name": "n", "tags": ["t"]}),
    "a network with a name": (
        "OS::Neutron::Net",
        {"name": "net", "tags": ["a", "b"], "dhcp_agent_ids": ["g1", "g2"]},
        {"admin_state_up": False, "dhcp_agent_ids": ["g2", "g3"]},
    ),
    "a subnet": (
        "OS::Neutron::Subnet",
        {"network": "net-x", "cidr": "10.0.0.0/24", "name": "s", "tags": ["t"]},
        {"network": "net-x", "cidr": "10.0.0.0/24", "gateway_ip": None, "tags": []},
    ),
    "a port": (
        "OS::Neutron::Port",
        {"network": "net-x", "name": "p", "tags": ["t"], "fixed_ips": [{"subnet": "sub-x"}]},
        {"network": "net-x", "name": "q", "tags": ["u"]},
    ),
    "a security group": (
        "OS::Neutron::SecurityGroup",
        {"name": "g", "rules": [{"protocol": "tcp"}, {"direction": "egress"}]},
        {"description": "d", "rules": [{"protocol": "udp"}]},
    ),
    "a key pair": (
        "OS::Nova::KeyPair",
        {"name": "k", "public_key": "ssh-rsa AAAA ann@home"},
        {"name": "k", "public_key": "ssh-rsa AAAA ann@home"},
    ),
    "a generated key pair": (
        "OS::Nova::KeyPair",
        {"name": "k", "save_private_key": True},
        {"name": "k", "save_private_key": True},
    ),
    "a server": (
        "OS::Nova::Server",
        {"image": "ubuntu", "flavor": "small", "metadata": {"a": "1"}, "tags": ["t"]},
        {
            "image": "cirros",
            "flavor": "big",
            "name": "web",
            "metadata": {"b": 2},
            "tags": ["u"],
            "admin_pass": "x",
        },
    ),
    "a server with ports of its own": (
        "OS::Nova::Server",
        {
            "image": "ubuntu",
            "flavor": "small",
            "networks": [{"subnet": "sub-x", "network": "net-x"}, {"network": "other-x"}],
        },
        {
            "image": "ubuntu",
            "flavor": "small",
            "networks": [{"subnet": "sub2-x", "network": "net-x"}, {"network": "other-x"}],
        },
    ),
}


def told(story: str, lose: int | None) -> tuple[ToyCloud, list[Any]]:
    """Live a story; return what there was after each verb."""
    type_name, first, then = STORIES[story]
    cloud = ToyCloud(lose)
    life = Life(type_name, cloud)
    seen: list[Any] = []
    life.create(first)
    seen.append(cloud.objects())
    if then != first:
        life.update(then)
        seen.append(cloud.objects())
    assert life.attributes
    life.delete()
    seen.append(cloud.objects())
    return cloud, seen


@pytest.mark.parametrize("story", STORIES)
def test_a_lost_answer_changes_nothing_in_the_end(story: str) -> None:
    untroubled, expected = told(story, None)
    assert expected[-1] == ToyCloud().objects(), "something is left"
    assert len(expected[0]) > len(expected[-1]), "nothing was made"
    for lose in range(len(untroubled.changes)):
        _, seen = told(story, lose)
        assert seen == expected, f"the answer to {untroubled.changes[lose]} was lost"
