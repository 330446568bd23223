"""What is told of resource types, template versions and functions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.offer import Offer
from stoker.engine.usecases.catalog import TypeCatalog
from stoker.engine.usecases.offered_types import OfferedTypes
from stoker.errors import Invalid, NotFound
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read
from stoker.resources.index import TABLE, Index
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import TypeQuery

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine.kinds import Kinds

ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))
CFN_TYPES = {"String", "Number", "CommaDelimitedList", "Json", "Boolean"}


@pytest.fixture
def catalog(kinds: Kinds) -> TypeCatalog:
    return TypeCatalog(kinds)


@pytest.fixture(scope="session")
def real() -> TypeCatalog:
    return TypeCatalog(Index())


# types


OWN = """
heat_template_version: 2018-08-31
parameters: {size: {type: number}}
outputs: {shown: {value: 1}}
"""


def test_types_that_an_operator_makes_of_templates_are_told_like_others() -> None:
    registry = {
        "My::Own": "own.yaml",
        "My::Other": "OS::Heat::Value",
        "My::*": "OS::Heat::None",
        "My::Lost": "T::Lost",
        "resources": {"x": {"My::Inner": "own.yaml"}},
    }
    found = TypeCatalog(OfferedTypes(Index(), Offer(registry, {"own.yaml": OWN})))
    assert [each.name for each in found.types(ANN, TypeQuery(name="My::"))] == ["My::Own"]
    shown = found.type_schema(ANN, "My::Own")
    assert (list(shown["properties"]), "shown" in shown["attributes"]) == (["size"], True)
    assert "size" in found.type_template(ANN, "My::Own", "hot")["parameters"]
    assert found.type_schema(ANN, "My::Other")["resource_type"] == "OS::Heat::Value"
    assert found.type_schema(ANN, "My::Thing")["resource_type"] == "OS::Heat::None"
    with pytest.raises(NotFound):
        found.type_schema(ANN, "My::Lost")


@pytest.mark.parametrize(
    ("query", "right"),
    [
        (TypeQuery(), ["T::Group", "T::Plain", "T::Shown", "T::Walker"]),
        (TypeQuery(name="T::[GP]"), ["T::Group", "T::Plain"]),
        (TypeQuery(name="Plain"), []),  # a pattern holds from the start, as in Heat
        (TypeQuery(name=".*ow"), ["T::Shown"]),
        (TypeQuery(name="T::Plain$|T::Sh"), ["T::Plain", "T::Shown"]),
        (TypeQuery(name="^t::plain"), []),
        (TypeQuery(version="2.0.0"), ["T::Shown"]),
        (TypeQuery(support_status="DEPRECATED"), ["T::Walker"]),
        (TypeQuery(support_status="HIDDEN"), []),
        (TypeQuery(support_status="SUPPORTED", name="T::W"), []),
    ],
    ids=str,
)
def test_types_are_chosen_and_hidden_ones_never_listed(
    catalog: TypeCatalog, query: TypeQuery, right: list[str]
) -> None:
    assert [each.name for each in catalog.types(ANN, query)] == right


def test_a_listed_type_is_described(catalog: TypeCatalog) -> None:
    (plain,) = catalog.types(ANN, TypeQuery(name="T::Plain"))
    assert plain.description == "Has two attributes."


@pytest.mark.parametrize("query", [TypeQuery(name="("), TypeQuery(support_status="FINE")], ids=str)
def test_a_query_that_makes_no_sense_is_refused(catalog: TypeCatalog, query: TypeQuery) -> None:
    with pytest.raises(Invalid):
        catalog.types(ANN, query)


@pytest.mark.timeout(30)  # a pattern that backtracks would take for ever
def test_no_pattern_can_stretch_the_time_that_it_takes(real: TypeCatalog) -> None:
    assert real.types(ANN, TypeQuery(name="(((\\w|:)+)+)+!")) == []


def test_the_schema_of_a_type_tells_all_that_is_declared(catalog: TypeCatalog) -> None:
    schema = catalog.type_schema(ANN, "T::Plain")
    assert schema["resource_type"] == "T::Plain"
    assert set(schema["properties"]) == {"size", "label"}
    assert schema["properties"]["size"]["default"] == 1
    assert set(schema["attributes"]) == {"a", "b", "show"}
    assert schema["attributes"]["b"] == {"description": "The second.", "type": "map"}
    assert schema["support_status"] == {
        "status": "SUPPORTED",
        "message": None,
        "version": "1.0.0",
        "previous_status": None,
    }
    assert schema["description"] == "Has two attributes."


@pytest.mark.parametrize("form", ["hot", "cfn"])
def test_an_unknown_type_is_not_found_and_a_hidden_one_refused(
    catalog: TypeCatalog, form: str
) -> None:
    with pytest.raises(NotFound, match=r"The Resource Type \(T::No\) could not be found"):
        catalog.type_schema(ANN, "T::No")
    with pytest.raises(NotFound):
        catalog.type_template(ANN, "T::No", form)
    with pytest.raises(Invalid, match="hidden"):
        catalog.type_schema(ANN, "T::Named")
    with pytest.raises(Invalid, match="hidden"):
        catalog.type_template(ANN, "T::Named", form)


# generated templates


def test_a_generated_template_exposes_all_of_a_type(catalog: TypeCatalog) -> None:
    template = catalog.type_template(ANN, "T::Plain", "hot")
    assert template["heat_template_version"] == "2016-10-14"
    assert template["parameters"] == {
        "size": {
            "type": "number",
            "description": "How large.",
            "default": 1,
            "constraints": [{"range": {"min": 1}}],
        },
        "label": {"type": "string", "description": "What it says."},
    }
    assert template["resources"] == {
        "Plain": {
            "type": "T::Plain",
            "properties": {"size": {"get_param": "size"}, "label": {"get_param": "label"}},
        }
    }
    assert set(template["outputs"]) == {"a", "b", "show", "OS::stack_id"}
    assert template["outputs"]["a"] == {
        "description": "The first.",
        "value": {"get_attr": ["Plain", "a"]},
    }
    assert template["outputs"]["OS::stack_id"] == {"value": {"get_resource": "Plain"}}


def test_a_generated_cloudformation_template_says_the_same(catalog: TypeCatalog) -> None:
    template = catalog.type_template(ANN, "T::Plain", "cfn")
    assert template["HeatTemplateFormatVersion"] == "2012-12-12"
    assert template["Parameters"]["size"] == {
        "Type": "Number",
        "Description": "How large.",
        "Default": 1,
        "MinValue": 1,
    }
    assert template["Resources"]["Plain"] == {
        "Type": "T::Plain",
        "Properties": {"size": {"Ref": "size"}, "label": {"Ref": "label"}},
    }
    assert template["Outputs"]["a"]["Value"] == {"Fn::GetAtt": ["Plain", "a"]}
    assert template["Outputs"]["OS::stack_id"] == {"Value": {"Ref": "Plain"}}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_types_generated_template_is_a_valid_one(real: TypeCatalog, name: str) -> None:
    template = real.type_template(ANN, name, "hot")
    inputs = Inputs(stack_name="s", stack_id="i", project_id="p", strict=False)
    instance = instantiate(read(json.loads(json.dumps(template))), inputs)
    (definition,) = instance.definitions.values()
    assert definition.type == name
    assert set(instance.outputs) == {*real.type_schema(ANN, name)["attributes"], "OS::stack_id"}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_types_cloudformation_template_has_types_that_exist(
    real: TypeCatalog, name: str
) -> None:
    template = real.type_template(ANN, name, "cfn")
    json.dumps(template)
    assert {each["Type"] for each in template["Parameters"].values()} <= CFN_TYPES
    for each in template["Parameters"].values():
        assert isinstance(each.get("Default", ""), str | int | float)


# template versions and functions


def captured(shared: Path, name: str) -> Any:
    return json.loads((shared / "facts" / "api" / name).read_text(encoding="utf-8"))


def test_the_template_versions_are_those_that_heat_tells(
    catalog: TypeCatalog, shared: Path
) -> None:
    theirs = captured(shared, "template_versions.json")["template_versions"]
    assert catalog.template_versions() == theirs


def versions() -> list[str]:
    return [each["version"] for each in TypeCatalog(Index()).template_versions()]


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("with_conditions", [False, True])
def test_every_function_that_heat_tells_of_a_version_is_told(
    catalog: TypeCatalog, shared: Path, version: str, *, with_conditions: bool
) -> None:
    prefix = "functions-cond" if with_conditions else "functions"
    theirs = {
        each["functions"]
        for each in captured(shared, f"{prefix}-{version}.json")["template_functions"]
    }
    ours = [
        each["functions"] for each in catalog.functions(version, with_conditions=with_conditions)
    ]
    assert theirs - set(ours) == set()
    assert ours == sorted(set(ours))


def test_functions_are_described_in_one_line(catalog: TypeCatalog) -> None:
    found = catalog.functions("heat_template_version.wallaby", with_conditions=True)
    assert found == catalog.functions("heat_template_version.2021-04-16", with_conditions=True)
    for each in found:
        assert each["description"].strip()
        assert "\n" not in each["description"]


@pytest.mark.parametrize("version", ["2021-04-16", "heat_template_version.2021-04-16"])
def test_a_version_is_known_with_and_without_its_key(catalog: TypeCatalog, version: str) -> None:
    assert catalog.functions(version, with_conditions=False)


@pytest.mark.parametrize("version", ["heat_template_version.1999-01-01", "", "nonsense"])
def test_an_unknown_version_is_not_found(catalog: TypeCatalog, version: str) -> None:
    with pytest.raises(NotFound):
        catalog.functions(version, with_conditions=False)
