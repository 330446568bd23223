"""The schema for editors: what is accepted passes, what is plainly wrong does not."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stoker.errors import Invalid
from stoker.lang.source import parse
from stoker.lang.template import read
from stoker.resources.index import Index
from stoker.sdk.json_schema import schema_of_templates

jsonschema: Any = importlib.import_module("jsonschema")  # no types
SCHEMA = schema_of_templates(Index())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
HOT = "heat_template_version: 2021-04-16\n"


def faults(text: str) -> list[str]:
    """Return where the schema refuses a template."""
    wrong = VALIDATOR.iter_errors(parse(text, "t").value)
    return sorted(".".join(map(str, each.absolute_path)) for each in wrong)


def accepted(shared: Path) -> Iterator[Path]:
    """Give the templates in HOT that real Heat and we take, properties of our types included."""
    for line in (shared / "corpus" / "verdicts.jsonl").read_text().splitlines():
        verdict = json.loads(line)
        path = shared / "corpus" / "templates" / verdict["path"]
        if verdict["case"] == "validate" and verdict["verdict"] == "ok" and is_sound(path):
            yield path


def is_sound(path: Path) -> bool:
    try:
        template = read(path.read_text())
    except Invalid:
        return False
    return "heat_template_version" in template.raw


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_examples_pass(root: Path) -> None:
    found = [
        path for path in (root / "examples").rglob("*.yaml") if "template_v" in path.read_text()
    ]
    assert len(found) > 10
    assert {path.name: told for path in found if (told := faults(path.read_text()))} == {}


def test_what_heat_accepts_passes(shared: Path) -> None:
    found = list(accepted(shared))
    assert len(found) > 300
    assert {str(path): told for path in found if (told := faults(path.read_text()))} == {}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("resource: {}", ""),
        ("resources: {a: {typ: OS::Heat::Value}}", "resources.a"),
        (
            "resources: {a: {type: OS::Neutron::Net, properties: {nam: x}}}",
            "resources.a.properties",
        ),
        ("resources: {a: {type: OS::Neutron::Port}, b: []}", "resources.b"),
        ("parameters: {p: {type: text}}", "parameters.p.type"),
        ("outputs: {o: {description: x}}", "outputs.o"),
    ],
)
def test_what_is_plainly_wrong_does_not_pass(text: str, where: str) -> None:
    assert where in faults(HOT + text)


def test_a_property_offers_its_values_and_its_text() -> None:
    server = SCHEMA["definitions"]["OS::Nova::Server"]["properties"]
    assert {"enum": ["RESIZE", "REPLACE"]} in server["flavor_update_policy"]["anyOf"]
    assert server["flavor"]["description"]


def test_an_update_policy_is_that_of_its_type() -> None:
    group = (
        "resources: {g: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: T}},"
        " update_policy: {rolling_update: {%s: 2}}}}"
    )
    assert faults(HOT + group % "max_batch_size") == []
    assert faults(HOT + group % "max_batch_sise") == ["resources.g.update_policy"]
