"""The stacks of a fleet: as large as is asked for, of every sort of work, and what each ends as.

Rule: as in :mod:`tests.kill.story`, what is expected is counted here and asked of nobody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.kill.story import CIRROS, GROUP_RULES, Story, Version

SINGLE = ("net", "subnet", "guards", "key", "said")


@dataclass(frozen=True, slots=True)
class Size:
    """How many resources of each sort a stack has; ``links`` make two chains that wait."""

    ports: int
    servers: int
    words: int
    links: int

    @property
    def resources(self) -> int:
        """All of them."""
        return len(SINGLE) + self.ports + self.servers + self.words + 2 * self.links


FORTY = Size(ports=10, servers=3, words=8, links=7)
FEW = Size(ports=2, servers=1, words=1, links=2)


@dataclass(frozen=True)
class Mixed(Story):
    """A stack of a size; its versions differ in a value, and in half of its ports."""

    size: Size = FEW

    def body(self, version: Version) -> dict[str, Any]:
        """Return the body of a request for the version."""
        parameters = dict(version.parameters)
        return {"template": template(self.size), "parameters": parameters, "timeout_mins": 60}


def mixed(size: Size) -> Mixed:
    """Return the story of a size."""
    versions = [("a", True), ("b", True), ("c", False), ("d", False)]
    return Mixed("mixed", tuple(_version(size, *each) for each in versions), size)


def template(size: Size) -> dict[str, Any]:
    """Return the template: everything changes with ``value``, half of the ports with ``all``."""
    value = {"get_param": "value"}
    resources: dict[str, Any] = {
        "net": {"type": "OS::Neutron::Net", "properties": {"tags": [value]}},
        "subnet": _of("OS::Neutron::Subnet", network=_ref("net"), cidr="10.60.0.0/24"),
        "guards": _of("OS::Neutron::SecurityGroup", rules=[{"protocol": "icmp"}]),
        "key": _of("OS::Nova::KeyPair", name=_joined("key")),
        **{f"word{i}": {"type": "OS::Heat::RandomString"} for i in range(size.words)},
    }
    for i in range(size.ports):
        resources[f"port{i}"] = _port(value, always=_is_always(size, i))
    for i in range(size.servers):
        resources[f"server{i}"] = _server(value, i)
    for chain in "xy":
        resources |= {f"{chain}{i}": _link(chain, i) for i in range(size.links)}
    ends = [{"get_attr": [f"{chain}{size.links - 1}", "output"]} for chain in "xy"]
    resources["said"] = _of("OS::Heat::Value", value={"list_join": [" ", ends]})
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {"value": {"type": "string"}, "all": {"type": "boolean"}},
        "conditions": {"all": {"get_param": "all"}},
        "resources": resources,
        "outputs": {"said": {"value": {"get_attr": ["said", "value"]}}},
    }


def _of(type_: str, **properties: object) -> dict[str, Any]:
    return {"type": type_, "properties": properties}


def _ref(name: str) -> dict[str, str]:
    return {"get_resource": name}


def _joined(end: str) -> dict[str, Any]:
    return {"list_join": ["-", [{"get_param": "OS::stack_name"}, end]]}


def _is_always(size: Size, port: int) -> bool:
    """Tell whether a port is in every version: servers need theirs."""
    return port < max(size.servers, size.ports // 2)


def _port(value: object, *, always: bool) -> dict[str, Any]:
    fixed = [{"subnet": _ref("subnet")}]
    groups = [_ref("guards")]
    port = _of(
        "OS::Neutron::Port",
        network=_ref("net"),
        fixed_ips=fixed,
        security_groups=groups,
        tags=[value],
    )
    return port if always else {**port, "condition": "all"}


def _server(value: object, number: int) -> dict[str, Any]:
    return _of(
        "OS::Nova::Server",
        image=CIRROS,
        flavor="m1.tiny",
        key_name=_ref("key"),
        networks=[{"port": _ref(f"port{number}")}],
        metadata={"value": value},
    )


def _link(chain: str, number: int) -> dict[str, Any]:
    before = {"get_attr": [f"{chain}{number - 1}", "output"]} if number else {"get_param": "value"}
    return _of("OS::Heat::TestResource", value=before, wait_secs=0.2)


def _version(size: Size, value: str, every: bool) -> Version:  # noqa: FBT001 - a row of a table
    ports = [i for i in range(size.ports) if every or _is_always(size, i)]
    names = [*SINGLE, *(f"port{i}" for i in ports)]
    names += [f"server{i}" for i in range(size.servers)]
    names += [f"word{i}" for i in range(size.words)]
    names += [f"{chain}{i}" for chain in "xy" for i in range(size.links)]
    objects = Counter({f"network.{kind}": 1 for kind in ("network", "subnet", "security_group")})
    objects["network.security_group_rule"] = GROUP_RULES + 1
    objects["network.port"] = len(ports)
    objects["compute.keypair"] = 1
    objects["compute.server"] = size.servers
    return Version(
        parameters={"value": value, "all": every},
        said=f"{value} {value}",
        resources=frozenset(names),
        objects=objects,
        names=frozenset({("compute.keypair", "key")}),
    )
