"""What people get wrong: bodies, templates, parameters and environments, each with its answer.

Rule: each case has what the refusal must say: what is wrong, and where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HOT = "heat_template_version: 2018-08-31\n"
GOOD = HOT + "resources: {r: {type: OS::Heat::RandomString}}\n"
NUMBER = HOT + "parameters: {n: {type: number, constraints: [{range: {min: 1, max: 9}}]}}\n"


@dataclass(frozen=True, slots=True)
class Wrong:
    """``says`` are texts that the refusal must hold."""

    body: dict[str, Any]
    says: tuple[str, ...]


def template(text: str, *says: str, **more: Any) -> Wrong:
    """Return the case of a template that is wrong."""
    return Wrong({"template": text if text.startswith("#") else HOT + text, **more}, says)


def _resource(text: str, *says: str, **more: Any) -> Wrong:
    return template(f"resources: {{r: {text}}}", "r", *says, **more)


def _output(text: str, *says: str) -> Wrong:
    return template(f"outputs: {{o: {{value: {text}}}}}", "outputs.o", *says)


def _parameter(text: str, *says: str) -> Wrong:
    return template(f"parameters: {{p: {text}}}", "p", *says)


_RANDOM = "{type: OS::Heat::RandomString, properties: "
_CHILD = HOT + "parameters: {n: {type: number}}\nresources: {x: {type: OS::No::Such}}\n"

TEMPLATES = {
    "an empty text": Wrong({"template": "#"}, ("template",)),
    "no YAML": template("resources: {r: [}", "template:2:"),
    "a tab": template("resources:\n\tr: 1", "template:3:1"),
    "an alias bomb": template(
        "x: &a [1,1,1,1,1,1,1,1,1]\nparameters: [*a]\nresources: {r: *a}", "resources"
    ),
    "an unknown anchor": template("resources: {r: *no}", "no"),
    "a Python object": template("resources: !!python/object:os.system {}", "python"),
    "no version": Wrong({"template": "resources: {}"}, ("heat_template_version",)),
    "an unknown version": Wrong(
        {"template": "heat_template_version: 1999-01-01"}, ("1999-01-01", "heat_template_version")
    ),
    "a version that is a list": Wrong({"template": "heat_template_version: []"}, ("version",)),
    "an unknown section": template("resourcez: {}", "resourcez"),
    "resources that are a list": template("resources: [r]", "resources"),
    "a duplicate key": template("resources: {r: {type: A}, r: {type: B}}", "r"),
    "a resource that is text": template("resources: {r: text}", "resources.r"),
    "a resource without a type": _resource("{properties: {}}", "type"),
    "an unknown type": _resource("{type: OS::No::Such}", "OS::No::Such"),
    "a type that is a number": _resource("{type: 7}", "type"),
    "a file that is not sent": _resource("{type: child.yaml}", "child.yaml"),
    "an unknown key": _resource("{type: OS::Heat::None, colour: red}", "colour"),
    "an unknown property": _resource(f"{_RANDOM}{{lenght: 3}}}}", "lenght"),
    "a property of the wrong type": _resource(f"{_RANDOM}{{length: abc}}}}", "length", "abc"),
    "a property out of range": _resource(f"{_RANDOM}{{length: 9999}}}}", "length", "512"),
    "properties that are a list": _resource(f"{_RANDOM}[1]}}", "properties"),
    "a missing property": _resource("{type: OS::Neutron::Port}", "network"),
    "an unknown network": _resource(
        "{type: OS::Neutron::Port, properties: {network: no-such-net}}", "no-such-net"
    ),
    "an unknown flavor": _resource(
        "{type: OS::Nova::Server, properties: {image: ubuntu-24.04, flavor: m9.none}}", "m9.none"
    ),
    "a circle": template(
        "resources:\n  a: {type: OS::Heat::None, depends_on: b}\n"
        "  b: {type: OS::Heat::None, depends_on: c}\n"
        "  c: {type: OS::Heat::None, depends_on: a}",
        "a -> ", "b -> ", "c -> ",
    ),
    "depends_on nothing": _resource("{type: OS::Heat::None, depends_on: gone}", "gone"),
    "depends_on a map": _resource("{type: OS::Heat::None, depends_on: {a: 1}}", "depends_on"),
    "an unknown deletion policy": _resource(
        "{type: OS::Heat::None, deletion_policy: Burn}", "deletion_policy", "Burn"
    ),
    "an unknown condition": _resource("{type: OS::Heat::None, condition: maybe}", "maybe"),
    "get_resource of nothing": _output("{get_resource: gone}", "gone"),
    "get_param of nothing": _resource(f"{_RANDOM}{{length: {{get_param: gone}}}}}}", "gone"),
    "get_attr of nothing": _output("{get_attr: [gone, x]}", "gone"),
    "get_attr without a name": _output("{get_attr: []}", "get_attr"),
    "get_file of nothing": _output("{get_file: gone.txt}", "gone.txt"),
    "list_join of a number": _output("{list_join: [',', 3]}", "list_join"),
    "str_replace without params": _output("{str_replace: {template: x}}", "str_replace"),
    "repeat without for_each": _output("{repeat: {template: x}}", "for_each"),
    "an unknown function argument": _output("{str_split: [1]}", "str_split"),
    "an output without a value": template("outputs: {o: {description: x}}", "outputs.o", "value"),
    "a parameter without a type": _parameter("{default: 1}", "type"),
    "a parameter of an unknown type": _parameter("{type: integer}", "integer"),
    "a default that breaks a constraint": _parameter(
        "{type: number, default: 5, constraints: [{range: {max: 3}}]}", "5"
    ),
    "a default that is no JSON": _parameter("{type: json, default: '{bad'}", "p"),
    "an unknown constraint": _parameter("{type: string, constraints: [{shape: round}]}", "shape"),
    "a pattern that is none": _parameter(
        "{type: string, default: a, constraints: [{allowed_pattern: '('}]}", "allowed_pattern"
    ),
    "a number parameter with a length": _parameter(
        "{type: number, constraints: [{length: {max: 3}}]}", "length"
    ),
    "an unknown condition function": template("conditions: {c: {maybe: [1]}}", "conditions.c"),
    "conditions that go round": template("conditions: {a: {not: b}, b: {not: a}}", "conditions"),
    "a nested template that is wrong": _resource(
        "{type: c.yaml, properties: {n: 1}}", "OS::No::Such", files={"c.yaml": _CHILD}
    ),
    "a nested template with a wrong property": _resource(
        "{type: c.yaml, properties: {m: 1}}", "m", files={"c.yaml": NUMBER}
    ),
    "a template that nests itself": _resource(
        "{type: c.yaml}", "depth",
        files={"c.yaml": HOT + "resources: {r: {type: c.yaml}}"},
    ),
    "a group whose member is wrong": _resource(
        "{type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def:"
        " {type: OS::Heat::RandomString, properties: {lenght: 1}}}}",
        "lenght",
    ),
    "a group with a negative count": _resource(
        "{type: OS::Heat::ResourceGroup, properties: {count: -1, resource_def:"
        " {type: OS::Heat::None}}}",
        "count",
    ),
}  # fmt: skip

GIVEN = {
    "an unknown parameter": Wrong({"template": GOOD, "parameters": {"nix": 1}}, ("nix",)),
    "a missing parameter": Wrong({"template": NUMBER}, ("(n)", "parameters.n")),
    "a parameter that is no number": Wrong(
        {"template": NUMBER, "parameters": {"n": "abc"}}, ("parameters.n", "abc")
    ),
    "a parameter out of range": Wrong(
        {"template": NUMBER, "parameters": {"n": 10}}, ("parameters.n", "10")
    ),
    "a parameter that is a map": Wrong(
        {"template": NUMBER, "parameters": {"n": {"a": 1}}}, ("parameters.n",)
    ),
    "a hidden parameter that is wrong": Wrong(
        {
            "template": HOT
            + "parameters: {h: {type: string, hidden: true, constraints: [{length: {max: 3}}]}}",
            "parameters": {"h": "far-too-long"},
        },
        ("parameters.h",),
    ),
    "an environment that is no YAML": Wrong(
        {"template": GOOD, "environment": "{parameters: ["}, ("environment",)
    ),
    "an environment that is a list": Wrong(
        {"template": GOOD, "environment": "[1]"}, ("environment",)
    ),
    "an unknown environment section": Wrong(
        {"template": GOOD, "environment": {"parameterz": {}}}, ("parameterz",)
    ),
    "environment parameters that are a list": Wrong(
        {"template": GOOD, "environment": {"parameters": [1]}}, ("parameters",)
    ),
    "a registry that is a list": Wrong(
        {"template": GOOD, "environment": {"resource_registry": ["x"]}}, ("resource_registry",)
    ),
    "a type mapped to nothing": Wrong(
        {
            "template": HOT + "resources: {r: {type: My::T}}",
            "environment": {"resource_registry": {"My::T": "OS::No::Such"}},
        },
        ("OS::No::Such",),
    ),
    "a type mapped in a circle": Wrong(
        {
            "template": HOT + "resources: {r: {type: My::A}}",
            "environment": {"resource_registry": {"My::A": "My::B", "My::B": "My::A"}},
        },
        ("My::A",),
    ),
    "an unknown merge strategy": Wrong(
        {
            "template": NUMBER,
            "environment_files": ["e"],
            "files": {"e": "{parameters: {n: 1}, parameter_merge_strategies: {n: shuffle}}"},
        },
        ("shuffle", "parameter_merge_strategies"),
    ),
    "an environment file that is no YAML": Wrong(
        {"template": GOOD, "environment_files": ["e"], "files": {"e": "{parameters: ["}}, ("e",)
    ),
    "an environment file that is not sent": Wrong(
        {"template": GOOD, "environment_files": ["e"]}, ("environment_files",)
    ),
    "a template that is a number": Wrong({"template": 7}, ("template",)),
    "files that are a list": Wrong({"template": GOOD, "files": []}, ("files",)),
    "a file that is a number": Wrong({"template": GOOD, "files": {"a": 1}}, ("files.a",)),
    "parameters that are text": Wrong({"template": GOOD, "parameters": "a"}, ("parameters",)),
    "a template that is too long": Wrong(
        {"template": GOOD + "#" * 600_000}, ("exceeds maximum allowed size",)
    ),
}

REQUESTS = {
    "tags that are a map": Wrong({"template": GOOD, "tags": {"a": 1}}, ("tags",)),
    "a tag that is too long": Wrong({"template": GOOD, "tags": "t" * 81}, ("80",)),
    "a time-out that is text": Wrong({"template": GOOD, "timeout_mins": "x"}, ("timeout_mins",)),
    "a negative time-out": Wrong({"template": GOOD, "timeout_mins": -5}, ("timeout_mins",)),
    "disable_rollback that is neither": Wrong(
        {"template": GOOD, "disable_rollback": "no"}, ("disable_rollback",)
    ),
    "no template": Wrong({}, ("template",)),
}

NAMES = ("", "1a", "-a", "a b", "a/b", "a" * 300, "ä", 7, ["a"])

BYTES = {
    "nothing": b"",
    "half an object": b'{"stack_name": ',
    "a list": b"[1]",
    "no UTF-8": b'{"stack_name": "\xff"}',
    "a deep nest": b'{"a":' * 3000,
    "not a number": b'{"template": NaN}',
}
