"""The types through the real clients against the embedded cloud, which enforces the rules."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password, Token, Trust
from stoker.clouds.one_cloud import OneCloud
from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from stoker.errors import CloudError, CloudNotFound, Invalid
from stoker.sdk.cloud import Lookup
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import At, Done, Wait
from tests.resources.stepping import kind_of, standing

MOST_STEPS = 80
MOST_SECONDS = 0.1  # the cloud's latencies are set shorter than any wait


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = Server(Options(latency=0.02))
    server.start()
    yield f"{server.url}/identity"
    server.stop()


@pytest.fixture(scope="module")
def clouds() -> Iterator[Clouds]:
    clouds = Clouds()
    yield clouds
    clouds.close()


def user(url: str, name: str) -> Password:
    return Password(
        url,
        name,
        "secret",
        project_name=name,
        user_domain_id="default",
        project_domain_id="default",
    )


@pytest.fixture
def cloud(url: str, clouds: Clouds) -> OneCloud:
    return clouds.cloud(user(url, "demo"))


class Kept:
    """A resource that lives in the embedded cloud."""

    def __init__(self, cloud: OneCloud, type_name: str, name: str) -> None:
        self.cloud, self.type_name, self.name = cloud, type_name, name
        self.id: str | None = None
        self.done = Done()
        self.given: Mapping[str, Any] = {}

    def create(self, **given: Any) -> Kept:
        return self._run("create", given, self._at(given))

    def update(self, **given: Any) -> Kept:
        old = kind_of(self.type_name).Props.parse(self.given)
        at = replace(self._at(given), old=old)
        return self._run("update", given, replace(at, changed=at.props.changed(old)))

    def delete(self) -> None:
        self._run("delete", self.given, self._at(self.given))

    def _at(self, given: Mapping[str, Any]) -> At[Any]:
        at = standing(self.type_name, given, id=self.id, stored=self.done.data)
        return replace(at, name=self.name, mark=f"mark-of-{self.name}")

    def _run(self, verb: str, given: Mapping[str, Any], at: At[Any]) -> Kept:
        for _ in range(MOST_STEPS):
            step = getattr(kind_of(self.type_name), verb)(at, self.cloud)
            if isinstance(step, Done):
                self.id, self.done, self.given = step.id or at.id, step, given
                return self
            data = at.data if step.data is None else step.data
            at = replace(at, id=step.id or at.id, data=data)
            if isinstance(step, Wait):
                time.sleep(min(step.seconds, MOST_SECONDS))  # due times are the engine's
        raise AssertionError(f"{verb} does not end")


def test_a_whole_application_comes_changes_and_goes(cloud: OneCloud) -> None:
    net = Kept(cloud, "OS::Neutron::Net", "a-net").create(name="net of a", tags=["x"])
    subnet = Kept(cloud, "OS::Neutron::Subnet", "a-subnet")
    subnet.create(network=net.id, cidr="10.1.0.0/24", gateway_ip=None, dns_nameservers=["1.1.1.1"])
    assert subnet.done.attributes["gateway_ip"] is None
    group = Kept(cloud, "OS::Neutron::SecurityGroup", "a-group")
    group.create(rules=[{"protocol": "tcp", "port_range_min": 80, "port_range_max": 80}])
    port = Kept(cloud, "OS::Neutron::Port", "a-port")
    port.create(
        network="net of a", fixed_ips=[{"ip_address": "10.1.0.9"}], security_groups=["a-group"]
    )
    assert port.done.attributes["subnets"][0]["cidr"] == "10.1.0.0/24"
    key = Kept(cloud, "OS::Nova::KeyPair", "a-key").create(name="key", save_private_key=True)
    assert "PRIVATE KEY" in key.done.attributes["private_key"]
    server = Kept(cloud, "OS::Nova::Server", "a-server")
    given: dict[str, Any] = {"image": "ubuntu-24.04", "flavor": "m1.tiny", "key_name": "key"}
    server.create(**given, networks=[{"port": port.id}], tags=["web"])
    assert server.done.attributes["first_address"] == "10.1.0.9"
    given |= {"flavor": "m1.small", "name": "web", "metadata": {"a": 1}}
    server.update(**given, networks=[{"port": port.id}, {"subnet": subnet.id}], tags=[])
    assert len(server.done.attributes["networks"][net.id]) == 2
    assert server.done.attributes["show"]["flavor"]["original_name"] == "m1.small"
    for each in (server, key, port, group, subnet, net):
        each.delete()
    assert cloud.network.list("port", network_id=net.id) == []
    with pytest.raises(CloudNotFound):
        cloud.network.show("network", str(net.id))


def test_what_is_in_use_is_busy_until_it_is_not(cloud: OneCloud) -> None:
    net = Kept(cloud, "OS::Neutron::Net", "b-net").create()
    subnet = Kept(cloud, "OS::Neutron::Subnet", "b-subnet")
    subnet.create(network=net.id, cidr="10.2.0.0/24")
    port = Kept(cloud, "OS::Neutron::Port", "b-port").create(network=net.id)
    with pytest.raises(CloudError) as caught:
        net.delete()
    assert fault(caught.value) is Fault.BUSY
    for each in (port, subnet, net, net):
        each.delete()


def test_an_address_that_is_taken_is_no_reason_to_wait(cloud: OneCloud) -> None:
    net = Kept(cloud, "OS::Neutron::Net", "c-net").create()
    Kept(cloud, "OS::Neutron::Subnet", "c-subnet").create(network=net.id, cidr="10.3.0.0/24")
    Kept(cloud, "OS::Neutron::Port", "c1").create(
        network=net.id, fixed_ips=[{"ip_address": "10.3.0.7"}]
    )
    with pytest.raises(CloudError) as caught:
        Kept(cloud, "OS::Neutron::Port", "c2").create(
            network=net.id, fixed_ips=[{"ip_address": "10.3.0.7"}]
        )
    assert fault(caught.value) is Fault.FATAL


def test_what_was_made_without_an_answer_is_found_by_its_mark(cloud: OneCloud) -> None:
    for type_name, given in (
        ("OS::Neutron::Net", {"name": "a user's name"}),
        ("OS::Neutron::SecurityGroup", {}),
        (
            "OS::Nova::Server",
            {
                "image": "ubuntu-24.04",
                "flavor": "m1.tiny",
                "networks": [{"allocate_network": "none"}],
            },
        ),
    ):
        kept = Kept(cloud, type_name, f"d-{type_name[-3:]}")
        at = kept._at(given)  # noqa: SLF001 - the step before the crash
        kind = kind_of(type_name)
        assert kind.find(at, cloud) is None
        kind.create(at, cloud)  # and the answer is thrown away
        found = kind.find(at, cloud)
        assert found is not None
        kept.id = found.id
        kept.create(**given)
        kept.delete()


def test_a_key_pair_of_that_name_is_not_taken_over(cloud: OneCloud) -> None:
    first = Kept(cloud, "OS::Nova::KeyPair", "e1").create(name="taken")
    with pytest.raises(Invalid, match="exists already"):
        Kept(cloud, "OS::Nova::KeyPair", "e2").create(name="taken")
    first.delete()


def test_constraints_are_answered(url: str, clouds: Clouds) -> None:
    asked = {
        Lookup("nova.flavor", "m1.tiny"): True,
        Lookup("nova.flavor", "m1.none"): False,
        Lookup("nova.keypair", "none"): False,
        Lookup("nova.server", "none"): False,
        Lookup("glance.image", "ubuntu-24.04"): True,
        Lookup("glance.image", "none"): False,
        Lookup("neutron.network", "public"): True,
        Lookup("neutron.network", "none"): False,
        Lookup("neutron.security_group", "default"): True,
        Lookup("neutron.subnet", "none"): False,
        Lookup("neutron.router", "none"): False,
        Lookup("neutron.qos_policy", "none"): False,
    }
    missing = clouds.constraints(user(url, "demo")).missing(list(asked))
    assert {each: each not in missing for each in asked} == asked
    admins = {
        Lookup("keystone.user", "demo"): True,
        Lookup("keystone.user", "demo{default}"): True,
        Lookup("keystone.project", "none"): False,
        Lookup("keystone.role", "member"): True,
    }
    missing = clouds.constraints(user(url, "admin")).missing(list(admins))
    assert {each: each not in missing for each in admins} == admins


def test_a_trust_works_until_it_is_taken_back(url: str, clouds: Clouds, cloud: OneCloud) -> None:
    heat = replace(user(url, "heat"), project_name="service")
    trustee = clouds.cloud(heat).identity.whose().user_id
    id = cloud.identity.create_trust(trustee, ["member"])
    assert id in [each["id"] for each in cloud.identity.trusts()]
    trust = Trust(url, id, "heat", "secret")
    mine, theirs = cloud.identity.whose(), clouds.cloud(trust).identity.whose()
    assert (theirs.user_id, theirs.project_id) == (mine.user_id, mine.project_id)
    cloud.identity.delete_trust(id)
    cloud.identity.delete_trust(id)
    clouds.forget(trust)
    with pytest.raises(CloudError) as caught:
        clouds.cloud(trust).network.list("port")
    assert fault(caught.value) is Fault.FATAL


def test_a_users_own_token_is_enough(url: str, clouds: Clouds, cloud: OneCloud) -> None:
    token = cloud._connection.access().auth_token  # noqa: SLF001 - as it comes with a request
    mine = clouds.cloud(Token(url, token))
    assert mine.identity.whose() == cloud.identity.whose()
    assert mine.network.find("network", "public")


def test_a_wrong_password_is_told_and_not_retried(url: str, clouds: Clouds) -> None:
    with pytest.raises(CloudError, match="the credentials were refused") as caught:
        clouds.cloud(replace(user(url, "demo"), password="wrong")).network.list("port")
    assert (caught.value.status, caught.value.sent) == (401, False)
    assert fault(caught.value) is Fault.FATAL
