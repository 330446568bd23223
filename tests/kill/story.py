"""What the stacks of a run are, version by version, and what an undisturbed end of each is.

Rule: what is expected is written here by hand; nothing of it is asked of the program under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).with_name("templates")
REGISTRY = {"Kill::Member": "member.yaml"}
GROUP_RULES = 2
"""Rules that each security group has from the start."""


@dataclass(frozen=True)
class Version:
    """One goal of a stack: its parameters, and how an undisturbed run ends.

    ``resources`` are paths through nested stacks; ``objects`` count the cloud's objects by kind;
    ``names`` are the endings of names that the user set, behind the stack's name and a dash.
    """

    parameters: Mapping[str, Any]
    said: str
    resources: frozenset[str]
    objects: Counter[str]
    names: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Story:
    """A template and the versions between which it is moved."""

    name: str
    versions: tuple[Version, ...]

    def body(self, version: Version) -> dict[str, Any]:
        """Return the body of a request for the version."""
        files = {name: (TEMPLATES / name).read_text() for name in ("member.yaml", "inner.yaml")}
        return {
            "template": (TEMPLATES / f"{self.name}.yaml").read_text(),
            "environment": {"resource_registry": REGISTRY},
            "files": files,
            "parameters": dict(version.parameters),
            "timeout_mins": 5,
        }


def _flat(value: str, generation: str, *, extra: bool) -> Version:
    names = {"word", "changed", "replaced", "said", "added" if extra else "removed"}
    parameters = {"value": value, "generation": generation, "extra": extra}
    return Version(parameters, f"{value} {value}", frozenset(names), Counter())


def _group(count: int, value: str) -> Version:
    members = [f"group/{i}" for i in range(count)]
    inside = [f"{m}/{name}" for m in members for name in ("named", "ours", "pause")]
    return Version(
        parameters={"count": count, "value": value},
        said=" ".join([value] * count),
        resources=frozenset({"net", "subnet", "group", *members, *inside}),
        objects=Counter({"network.network": 1, "network.subnet": 1, "network.port": 2 * count}),
        names=frozenset(("network.port", str(i)) for i in range(count)),
    )


def _network(name: str, cidr: str, *, second: bool) -> Version:
    objects = Counter({"network.network": 1, "network.subnet": 1, "network.security_group": 1})
    objects["network.security_group_rule"] = GROUP_RULES + 1 + second
    objects["network.port"] = 1 + second
    names = ["net", "subnet", "guards", "port"]
    return Version(
        parameters={"name": name, "cidr": cidr, "two": second},
        said=cidr,
        resources=frozenset([*names, "second"] if second else names),
        objects=objects,
        names=frozenset(
            {
                ("network.port", name),
                ("network.network", "net"),
                ("network.security_group", "guards"),
            }
        ),
    )


def _server(flavor: str, image: str, key: str, role: str, *, second: bool) -> Version:
    servers = 1 + second
    names = ["net", "subnet", "key", "server"]
    named = {("compute.keypair", key)} | ({("compute.server", "second")} if second else set())
    return Version(
        parameters={
            "flavor": flavor,
            "image": image,
            "key_end": key,
            "role": role,
            "two": second,
        },
        said=role,
        resources=frozenset([*names, "second"] if second else names),
        objects=Counter(
            {
                "network.network": 1,
                "network.subnet": 1,
                "network.port": servers,
                "compute.keypair": 1,
                "compute.server": servers,
            }
        ),
        names=frozenset(named),
    )


def _nested(key: str, value: str, *, beside: bool) -> Version:
    inner = ["inner", *(f"inner/{name}" for name in ("net", "subnet", "key", "server"))]
    kinds = ("network.network", "network.subnet", "network.port")
    objects = Counter([*kinds, "compute.keypair", "compute.server"])
    if beside:
        objects["network.security_group"] = 1
        objects["network.security_group_rule"] = GROUP_RULES + 1
    return Version(
        parameters={"key_end": key, "value": value, "more": beside},
        said=value,
        resources=frozenset([*inner, "beside"] if beside else inner),
        objects=objects,
        names=frozenset({("compute.keypair", key)}),
    )


CIRROS, UBUNTU = "cirros-0.6.2-x86_64-disk", "ubuntu-24.04"

STORIES = (
    Story(
        "flat",
        (
            _flat("a", "1", extra=False),
            _flat("b", "1", extra=True),
            _flat("c", "2", extra=False),
        ),
    ),
    Story("group", (_group(2, "a"), _group(4, "a"), _group(1, "b"), _group(3, "b"))),
    Story(
        "network",
        (
            _network("p", "10.50.0.0/24", second=True),
            _network("q", "10.50.0.0/24", second=False),
            _network("p", "10.51.0.0/24", second=True),
        ),
    ),
    Story(
        "server",
        (
            _server("m1.tiny", CIRROS, "k", "a", second=True),
            _server("m1.nano", CIRROS, "k", "b", second=True),
            _server("m1.nano", UBUNTU, "k", "c", second=False),
            _server("m1.tiny", CIRROS, "l", "d", second=True),
        ),
    ),
    Story(
        "nested",
        (
            _nested("k", "a", beside=False),
            _nested("k", "b", beside=True),
            _nested("l", "c", beside=True),
        ),
    ),
)
