from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.environment import Environment
from stoker.lang.expression import Call, dump, evaluate, load
from stoker.lang.stack import Inputs, instantiate, shown_parameters, template_parameters
from stoker.lang.template import read
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import HOT
from tests.lang.writing import (
    only_problem,
    outputs,
    problems_of,
    resources,
    stack,
    summary,
    thing,
)

TEXT = """\
heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 2}
  secret: {type: string, hidden: true}
  many: {type: comma_delimited_list, default: "a,b"}
  flag: {type: boolean, default: false}
  flavor: {type: string, default: m1, constraints: [{custom_constraint: nova.flavor}]}
conditions:
  big: {equals: [{get_param: size}, 9]}
  small: {not: big}
  odd: {or: [big, {get_param: flag}]}
resources:
  net: {type: OS::Neutron::Net}
  idle: {type: OS::Neutron::Net, condition: big}
  server:
    type: OS::Nova::Server
    description: a server
    depends_on: [idle, net]
    deletion_policy: retain
    metadata: {stack: {get_param: OS::stack_name}}
    properties:
      name: {list_join: ['-', [{get_param: OS::stack_name}, {get_file: n}]]}
      count: {if: [big, {get_resource: nowhere}, {get_param: size}]}
      gone: {if: [big, 1]}
      networks:
        - {if: [big, x]}
        - network: {get_resource: net}
          subnets: {get_attr: [net, subnets]}
outputs:
  ip: {description: the ip, value: {get_attr: [server, first_address]}}
  none: {value: {get_resource: idle}, condition: big}
  size: {value: {get_param: size}, condition: small}
"""


def made(**inputs: Any) -> Any:
    named: dict[str, Any] = {"parameters": {"secret": "s3"}, "files": {"n": "web"}, **inputs}
    return stack(TEXT, **named)


def test_all_but_the_resources_is_folded_in() -> None:
    server = made().definitions["server"]
    assert (server.type, server.description) == ("OS::Nova::Server", "a server")
    assert (server.deletion_policy, server.external_id) == ("Retain", None)
    assert server.metadata == {"stack": "s"}
    assert server.depends_on == ("idle", "net")
    assert server.requires == {"net"}
    assert server.properties == {
        "name": "s-web",
        "count": 2,
        "networks": [
            {
                "network": Call("get_resource", "net", HOT[-1]),
                "subnets": Call("get_attr", ["net", "subnets"], HOT[-1]),
            }
        ],
    }


def test_what_is_folded_is_stored_and_evaluated_later() -> None:
    class Refs:
        def reference(self, resource: str) -> Any:
            return f"{resource}-id"

        def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
            return [resource, name, *path]

    properties = load(dump(made().definitions["server"].properties))
    assert evaluate(properties, Refs())["networks"] == [
        {"network": "net-id", "subnets": ["net", "subnets"]}
    ]


def test_an_instance_tells_what_it_is_made_of() -> None:
    instance = made()
    assert set(instance.definitions) == {"net", "server"}
    assert instance.disabled == {"idle"}
    assert instance.hidden == {"secret"}
    assert list(instance.graph.waves()) == [("net",), ("server",)]
    (lookup,) = instance.lookups
    assert (lookup.constraint, lookup.value, lookup.at) == (
        "nova.flavor",
        "m1",
        ("parameters", "flavor"),
    )
    assert str(lookup.place) == "template:7:3"
    assert instance.parameters["OS::project_id"] == "p"


def test_places_of_properties_go_by_paths_within_them() -> None:
    server = made().definitions["server"]
    assert str(server.place) == "template:15:3"
    assert str(server.places["networks", 1, "network"]) == "template:27:11"
    assert str(server.places.nearest(("networks", 0, "x", "y"))) == "template:26:11"


def test_outputs_are_all_listed_and_a_disabled_one_is_null() -> None:
    shown = made().outputs
    assert (shown["none"].value, shown["size"].value) == (None, 2)
    assert shown["ip"].description == "the ip"
    assert shown["ip"].value == Call("get_attr", ["server", "first_address"], HOT[-1])


def test_shown_parameters() -> None:
    template = read(TEXT)
    inputs = Inputs("s", "the-id", "p", parameters={"secret": "s3"}, files={"n": ""})
    assert shown_parameters(template, instantiate(template, inputs)) == {
        "OS::stack_id": "the-id",
        "OS::project_id": "p",
        "OS::stack_name": "s",
        "size": "2",
        "secret": "******",
        "many": "a,b",
        "flag": "False",
        "flavor": "m1",
    }


def test_a_json_parameter_is_shown_as_json() -> None:
    parameters = {name: {"type": "json"} for name in ("map", "list", "text")}
    template = read({"heat_template_version": "rocky", "parameters": parameters})
    given = {"map": {"a": [1]}, "list": [1, "a"], "text": '"t"'}
    instance = instantiate(template, Inputs("s", "i", "p", parameters=given))
    shown = shown_parameters(template, instance)
    assert (shown["map"], shown["list"], shown["text"]) == ('{"a": [1]}', '[1, "a"]', "t")


def test_template_parameters_are_those_of_heat() -> None:
    parameters = {
        "note": {
            "type": "string",
            "default": "hello",
            "description": "a note",
            "constraints": [
                {"length": {"min": 1, "max": 20}, "description": "short"},
                {"allowed_pattern": "[a-z]+", "description": "lower"},
            ],
        },
        "secret": {"type": "string", "hidden": True, "default": "pw"},
        "n": {
            "type": "number",
            "label": "N",
            "tags": ["t"],
            "constraints": [{"range": {"min": 1}}, {"modulo": {"step": 2, "offset": 0}}],
        },
        "l": {"type": "comma_delimited_list", "constraints": [{"allowed_values": ["a"]}]},
        "j": {"type": "json"},
        "b": {"type": "boolean", "constraints": [{"custom_constraint": "x"}]},
    }
    template = read({"heat_template_version": "rocky", "parameters": parameters})
    environment = Environment(parameters={"l": "a"}, parameter_defaults={"note": "other"})
    common = {"Description": "", "NoEcho": "false"}
    assert template_parameters(template, environment, {"j": {}}) == {
        "note": {
            "Type": "String",
            "Description": "a note",
            "NoEcho": "false",
            "Label": "note",
            "Default": "other",
            "MinLength": 1,
            "MaxLength": 20,
            "AllowedPattern": "[a-z]+",
            "ConstraintDescription": "short lower",
        },
        "secret": {
            "Type": "String",
            "Description": "",
            "NoEcho": "true",
            "Label": "secret",
            "Default": "pw",
        },
        "n": {
            **common,
            "Type": "Number",
            "Label": "N",
            "Tags": ["t"],
            "MinValue": 1,
            "Step": 2,
            "Offset": 0,
        },
        "l": {
            **common,
            "Type": "CommaDelimitedList",
            "Label": "l",
            "Value": "a",
            "AllowedValues": ["a"],
        },
        "j": {**common, "Type": "Json", "Label": "j", "Value": {}},
        "b": {**common, "Type": "Boolean", "Label": "b", "CustomConstraint": "x"},
    }


def test_values_come_from_the_request_then_the_environment_then_defaults() -> None:
    environment = Environment(
        parameters={"size": 5, "secret": "e"}, parameter_defaults={"flavor": "m2", "x": 1}
    )
    parameters = made(environment=environment).parameters
    assert (parameters["size"], parameters["secret"], parameters["flavor"]) == (5, "s3", "m2")


def test_problems_of_parameters_and_resources_are_told_together() -> None:
    text = TEXT.replace("{get_file: n}", "{get_file: m}") + "  bad: {value: {get_resource: x}}\n"
    found = problems_of(stack, text, parameters={"size": "x", "q": 1})
    assert [summary(each) for each in found] == [
        (Kind.PARAMETER_UNKNOWN, "parameters.q", ""),
        (Kind.PARAMETER, "parameters.size", "3:3"),
        (Kind.PARAMETER_MISSING, "parameters.secret", "4:3"),
        (
            Kind.VALIDATION,
            "resources.server.properties.name.list_join.1.1.get_file",
            "22:61",
        ),
        (Kind.REFERENCE, "outputs.bad.value.get_resource", "33:16"),
    ]


def test_when_not_strict_a_missing_value_makes_unknown_what_hangs_on_it() -> None:
    template = outputs(
        {"a": {"list_join": ["-", [{"get_param": "p"}, "x"]]}, "b": {"get_param": ["p", 1]}},
        "rocky",
        parameters={"p": {"type": "string"}},
    )
    assert stack(template, strict=False).outputs["o"].value == {"a": UNKNOWN, "b": UNKNOWN}


def test_an_output_that_these_values_spoil_fails_alone() -> None:
    expr = {"str_split": [",", {"get_param": "p"}, 1]}
    parameters = {"p": {"type": "string", "default": "one"}}
    made = stack(outputs(expr, "rocky", parameters=parameters)).outputs["o"]
    (problem,) = made.problems
    assert made.value is None
    assert "the index 1 is not within" in problem.text
    assert problem.at == ("outputs", "o", "value", "str_split")


def test_an_output_of_a_parameter_that_is_not_declared_fails_alone() -> None:
    made = stack(outputs({"list_join": [",", [{"get_param": "nope"}]]}, "rocky")).outputs["o"]
    (problem,) = made.problems
    assert made.value is None
    assert problem.text == "The Parameter (nope) was not provided."
    assert problem.at == ("outputs", "o", "value", "list_join", 1, 0, "get_param")


@pytest.mark.parametrize(
    "expr",
    [
        {"if": [{"get_param": "nope"}, 1, 2]},
        {"if": [{"get_param": "p"}, 1, 2]},
        {"list_join": ["", [{"if": [{"equals": [{"get_param": "nope"}, 1]}, "a", "b"]}]]},
        {"get_resource": {"get_param": "nope"}},
        {"get_attr": [{"get_param": "nope"}, "x"]},
        {"get_attr": ["a", {"get_param": "nope"}]},
        {"get_attr": ["a", "x", {"get_param": "nope"}]},
        {"get_attr": [{"get_param": "p"}, "x"]},
        {"get_attr": ["a", {"get_param": "n"}]},
    ],
    ids=str,
)
def test_an_output_in_which_it_is_wrong_what_is_asked_for_is_told(expr: Any) -> None:
    parameters = {"p": {"type": "string", "default": "x"}, "n": {"type": "number", "default": 1}}
    template = outputs(expr, "rocky", parameters=parameters, resources={"a": {"type": "T"}})
    assert only_problem(stack, template).at[:3] == ("outputs", "o", "value")


def test_a_path_that_is_followed_when_the_value_is_there_spoils_its_output_alone() -> None:
    expr = {"get_attr": ["a", "x", {"get_param": "nope"}]}
    made = stack(outputs(expr, "2013-05-23", resources={"a": {"type": "T"}})).outputs["o"]
    assert [each.text for each in made.problems] == ["The Parameter (nope) was not provided."]


@pytest.mark.parametrize("name", ["nobody", ""])
def test_an_output_of_a_resource_that_a_parameter_names_in_vain_fails_alone(name: str) -> None:
    parameters = {"p": {"type": "string", "default": name}}
    template = outputs({"get_resource": {"get_param": "p"}}, "rocky", parameters=parameters)
    assert len(stack(template).outputs["o"].problems) == 1


def test_an_output_that_no_value_can_save_is_told_whatever_its_text_says_of_the_value() -> None:
    parameters = {"P": {"Type": "String", "Default": "x"}}
    template = {"HeatTemplateFormatVersion": "2012-12-12", "Parameters": parameters}
    template["Outputs"] = {"o": {"Value": {"Ref": {"Ref": "P"}}}}
    assert "must stand here itself" in only_problem(stack, template).text


@pytest.mark.parametrize(
    ("expr", "kind"),
    [
        ({"list_join": [",", [3, {"get_param": "p"}]]}, Kind.VALIDATION),
        ({"get_resource": "nope"}, Kind.REFERENCE),
    ],
)
def test_an_output_that_no_value_can_save_is_told(expr: Any, kind: Kind) -> None:
    found = [
        {"a": expr, "b": {"list_join": [",", [{"get_param": "n"}]]}},
        {"list_join": [",", [3]]},
    ]
    parameters = {"p": {"type": "string", "default": "x"}, "n": {"type": "number", "default": 1}}
    template = outputs(found[0], "rocky", parameters=parameters)
    if kind is Kind.VALIDATION:
        template = outputs(found[1], "rocky", parameters=parameters)
    assert only_problem(stack, template).kind is kind


def test_a_hidden_value_is_in_no_text() -> None:
    for expr in (
        {"list_join": [",", [{"get_param": "p"}]]},
        {"list_concat": [{"get_param": ["p"]}]},
        {"str_split": [",", "a", {"get_param": {"str_replace": {"template": "p", "params": {}}}}]},
        {"digest": [{"get_param": "p"}, ""]},
        {"make_url": {"port": {"get_param": "p"}}},
        {"if": [{"get_param": "p"}, 1, 2]},
    ):
        template = resources(a=thing(properties={"x": expr}))
        template["parameters"] = {"p": {"type": "number", "default": 987654, "hidden": True}}
        assert "987654" not in only_problem(stack, template).text


def test_a_value_that_is_not_hidden_helps_to_find_the_mistake() -> None:
    template = resources(a=thing(properties={"x": {"list_join": [",", [{"get_param": "p"}]]}}))
    template["parameters"] = {
        "p": {"type": "number", "default": 987654},
        "q": {"type": "string", "default": "", "hidden": True},
    }
    assert "987654" in only_problem(stack, template).text


def test_an_update_must_not_change_an_immutable_parameter() -> None:
    template = {
        "heat_template_version": "rocky",
        "parameters": {"p": {"type": "string", "immutable": True}},
    }
    problem = only_problem(stack, template, parameters={"p": "b"}, previous={"p": "a"})
    assert problem.kind is Kind.IMMUTABLE
