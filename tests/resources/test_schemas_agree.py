"""The schemas against those that Heat has, read from the captured facts.

Every difference is listed below with its reason; one that is not listed fails, and so does
a listed one that is there no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from stoker.resources.index import TABLE
from stoker.sdk.schema import Property
from tests.resources.stepping import kind_of

CHECKED_EARLY = "that it exists is checked early here"

REASONS: Mapping[str, Mapping[str, str]] = {
    "OS::Nova::Server": {
        "networks.*.subnet constraints": CHECKED_EARLY,
        "attribute instance_id": "the specification names it",
        "attribute ip_address": "the specification names it",
    },
}


@pytest.fixture(scope="module")
def facts(shared: Path) -> Mapping[str, Any]:
    text = (shared / "facts" / "resource_types.json").read_text(encoding="utf-8")
    types: Mapping[str, Any] = json.loads(text)["types"]
    return types


@pytest.mark.parametrize("name", sorted(TABLE))
def test_the_schema_is_heats_but_for_the_listed_differences(
    name: str, facts: Mapping[str, Any]
) -> None:
    kind, theirs = kind_of(name), facts[name]
    found = dict(_properties(kind.Props.properties(), theirs["properties"], ""))
    policy = kind.Policy.properties()
    found |= dict(_properties(policy, theirs["update_policy_schema"] or {}, "update_policy."))
    found |= _attributes(kind.attributes, theirs["attributes"])
    expected = REASONS.get(name, {})
    unlisted = {where: text for where, text in found.items() if where not in expected}
    assert unlisted == {}
    assert expected.keys() <= found.keys(), "a listed difference is there no more"


def _properties(
    ours: Mapping[str, Property], theirs: Mapping[str, Any], at: str
) -> Iterator[tuple[str, str]]:
    for name in sorted(ours.keys() | theirs.keys()):
        where = f"{at}{name}"
        if name not in ours or name not in theirs:
            yield where, "only ours" if name in ours else "only Heat's"
            continue
        yield from _property(ours[name], theirs[name], where)


def _property(ours: Property, theirs: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    shown = ours.schema()
    for key in ("type", "required", "update_allowed", "immutable", "default"):
        if shown.get(key) != theirs.get(key):
            yield f"{where} {key}", f"{shown.get(key)!r}, Heat: {theirs.get(key)!r}"
    mine, other = _constraints(shown), _constraints(theirs)
    if mine != other:
        yield f"{where} constraints", f"{mine}, Heat: {other}"
    status = theirs["support_status"][0]
    if ours.spec.support.status != status:
        yield f"{where} status", f"{ours.spec.support.status}, Heat: {status}"
    inner = theirs.get("schema") or {}
    if ours.item is not None and "*" in inner:
        yield from _property(ours.item, inner["*"], f"{where}.*")
    elif ours.nested is not None:
        yield from _properties(ours.nested.properties(), inner, f"{where}.")


def _constraints(shown: Mapping[str, Any]) -> list[str]:
    found = []
    for each in shown.get("constraints", ()):
        for kind, limits in each.items():
            plain = sorted(map(str, limits)) if kind == "allowed_values" else limits
            found.append(json.dumps({kind: plain}, sort_keys=True))
    return sorted(found)


def _attributes(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name in ours.keys() | theirs.keys():
        if name not in ours or name not in theirs:
            found[f"attribute {name}"] = "only ours" if name in ours else "only Heat's"
        elif ours[name].type != theirs[name].get("type"):
            found[f"attribute {name} type"] = f"{ours[name].type}, Heat: {theirs[name].get('type')}"
    return found
