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
from tests.lang.writing import only_problem, outputs, problems_of, stack, summary, value_of

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


def resources(**definitions: Any) -> dict[str, Any]:
    return {"heat_template_version": HOT[-1], "resources": definitions}


def thing(**keys: Any) -> dict[str, Any]:
    return {"type": "T", **keys}


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (thing(properties={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(properties={"x": {"get_attr": ["b", "y"]}}), "no such resource"),
        (thing(metadata={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(update_policy={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(depends_on="b"), "no such resource"),
        (thing(properties={"x": {"get_resource": "off"}}), "condition of that resource is false"),
    ],
)
def test_a_reference_to_nothing_is_told(definition: Any, words: str) -> None:
    off = thing(condition={"equals": [1, 2]})
    problem = only_problem(stack, resources(a=definition, off=off))
    assert problem.kind is Kind.REFERENCE
    assert problem.text.startswith('The specified reference "')
    assert words in problem.text
    assert problem.at[:2] == ("resources", "a")


@pytest.mark.parametrize(
    ("definitions", "circle"),
    [
        (
            {
                "a": thing(properties={"v": {"get_attr": ["b", "value"]}}),
                "b": thing(properties={"v": {"get_attr": ["a", "value"]}}),
            },
            "a -> b -> a",
        ),
        ({"a": thing(depends_on="a")}, "a -> a"),
        (
            {
                "z": thing(depends_on="c"),
                "c": thing(depends_on=["b"]),
                "b": thing(metadata={"x": {"get_resource": "a"}}),
                "a": thing(depends_on="c"),
            },
            "c -> b -> a -> c",
        ),
    ],
)
def test_a_circle_is_named(definitions: Any, circle: str) -> None:
    problem = only_problem(stack, resources(**definitions))
    assert problem.kind is Kind.CIRCULAR
    assert problem.text == f"Circular dependency: {circle}"
    assert problem.at == ("resources", circle[0])


def test_what_would_close_a_circle_in_a_branch_not_taken_does_not_count() -> None:
    branch = {"if": [{"equals": [1, 2]}, {"get_resource": "a"}, "x"]}
    made = stack(resources(a=thing(depends_on="b"), b=thing(properties={"p": branch})))
    assert made.definitions["b"].requires == frozenset()


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (None, "Delete"),
        ("Retain", "Retain"),
        ("snapshot", "Snapshot"),
        ({"get_param": "p"}, "Retain"),
    ],
)
def test_deletion_policies(given: Any, policy: str) -> None:
    template = resources(a=thing(deletion_policy=given))
    template["parameters"] = {"p": {"type": "string", "default": "retain"}}
    assert stack(template).definitions["a"].deletion_policy == policy


@pytest.mark.parametrize("given", ["Keep", 5, ["Delete"], {"get_resource": "b"}])
def test_a_deletion_policy_that_is_none_is_told(given: Any) -> None:
    problem = only_problem(stack, resources(a=thing(deletion_policy=given), b=thing()))
    assert problem.at == ("resources", "a", "deletion_policy")
    assert "known are Delete, Retain, Snapshot" in problem.text


def test_lower_case_policies_need_2016_10_14() -> None:
    template = resources(a=thing(deletion_policy="retain"))
    template["heat_template_version"] = "2016-04-08"
    assert "is no deletion policy" in only_problem(stack, template).text


def test_a_resource_with_an_external_id_is_kept_and_needs_nothing() -> None:
    external = thing(external_id="x-1", properties={"p": {"get_resource": "b"}})
    made = stack(resources(a=external, b=thing())).definitions["a"]
    assert (made.external_id, made.deletion_policy) == ("x-1", "Retain")
    assert made.requires == frozenset()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"external_id": "x", "depends_on": "b"}, "remove depends_on"),
        ({"external_id": {"get_resource": "b"}}, "known before any resource is made"),
        ({"external_id": 5}, "must be a text"),
        ({"properties": {"get_param": "OS::stack_name"}}, "must give a map"),
        ({"metadata": {"list_join": ["", []]}}, "must give a map"),
    ],
)
def test_a_definition_that_is_wrong_is_told(keys: Any, words: str) -> None:
    assert words in only_problem(stack, resources(a=thing(**keys), b=thing())).text


def test_properties_may_be_one_function() -> None:
    template = resources(
        a=thing(properties={"get_param": "p"}),
        b=thing(properties={"map_merge": [{"x": {"get_resource": "a"}}]}),
        c=thing(properties={"if": [{"equals": [1, 2]}, {"x": 1}]}),
    )
    template["parameters"] = {"p": {"type": "json", "default": {"k": "v"}}}
    made = stack(template).definitions
    assert made["a"].properties == {"k": "v"}
    assert isinstance(made["b"].properties, Call)
    assert made["b"].requires == {"a"}
    assert made["c"].properties == {}


def test_a_parameter_is_picked_apart_by_what_a_resource_tells() -> None:
    template = resources(
        a=thing(), b=thing(properties={"p": {"get_param": ["map", {"get_resource": "a"}]}})
    )
    template["parameters"] = {"map": {"type": "json", "default": {"k": "v"}}}
    made = stack(template).definitions["b"]
    assert made.requires == {"a"}
    assert made.properties["p"].args[0] == {"k": "v"}


@pytest.mark.parametrize(
    "expr",
    [
        {"get_file": {"get_resource": "a"}},
        {"resource_facade": {"get_resource": "a"}},
        {"get_resource": {"get_attr": ["a", "x"]}},
        {"get_attr": [{"get_resource": "a"}, "x"]},
        {"get_param": [{"get_resource": "a"}]},
    ],
)
def test_names_must_be_known_before_any_resource_is_made(expr: Any) -> None:
    problem = only_problem(stack, resources(a=thing(), b=thing(properties={"p": expr})))
    assert "must be known before" in problem.text or "only a resource can tell" in problem.text


@pytest.mark.parametrize(
    ("args", "version", "words"),
    [
        (["a"], "2015-04-30", "too few"),
        (["a"], "2013-05-23", "too few"),
        ([], "2021-04-16", "too few"),
        ("a", "2021-04-16", "needs a list of arguments"),
        (["a", 5], "2021-04-16", "the attribute's name must be text"),
        (["a", None], "2021-04-16", "the attribute's name must be text"),
        (["", "x"], "2021-04-16", "needs the name of a resource"),
        ([5, "x"], "2021-04-16", "needs the name of a resource"),
    ],
)
def test_the_arguments_of_get_attr_are_checked_at_once(args: Any, version: str, words: str) -> None:
    template = outputs({"get_attr": args}, version, resources={"a": thing()})
    assert words in only_problem(stack, template).text


def test_all_attributes_are_asked_for_from_2015_10_15_on() -> None:
    template = outputs({"get_attr": ["a"]}, "2015-10-15", resources={"a": thing()})
    assert stack(template).outputs["o"].value == Call("get_attr", ["a"], "2015-10-15")


def conditional(condition: Any, **parameters: Any) -> dict[str, Any]:
    template = resources(r=thing(condition=condition))
    template["parameters"] = {
        "n": {"type": "number", "default": 1},
        "f": {"type": "boolean", "default": True},
        "t": {"type": "string", "default": "true"},
        "open": {"type": "boolean"},
    }
    template["conditions"] = {"yes": True, "no": {"not": "yes"}, **parameters}
    return template


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        (True, True),
        (False, False),
        ("yes", True),
        ("no", False),
        ({"get_param": "f"}, True),
        ({"equals": [{"get_param": "n"}, 1]}, True),
        ({"equals": ["yes", "no"]}, False),
        ({"not": {"get_param": "f"}}, False),
        ({"and": ["yes", True, {"get_param": "f"}]}, True),
        ({"and": ["yes", "no"]}, False),
        ({"or": ["no", {"not": "no"}]}, True),
        ({"or": ["no", False]}, False),
        ({"contains": ["a", ["a"]]}, True),
    ],
)
def test_a_condition_decides_whether_a_resource_is_there(condition: Any, there: Any) -> None:
    instance = stack(conditional(condition), strict=False)
    assert ("r" in instance.definitions) is there


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        ({"get_param": "open"}, True),
        ({"not": {"get_param": "open"}}, True),
        ({"and": [{"get_param": "open"}, "no"]}, False),
        ({"and": [{"get_param": "open"}, "yes"]}, True),
        ({"or": [{"get_param": "open"}, "yes"]}, True),
        ({"not": {"or": [{"get_param": "open"}, "yes"]}}, False),
        ({"equals": [{"get_param": "open"}, 1]}, True),
    ],
)
def test_a_condition_that_is_open_counts_as_there(condition: Any, there: Any) -> None:
    instance = stack(conditional(condition), strict=False)
    assert ("r" in instance.definitions) is there


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("nope", 'The condition "nope" is not defined'),
        ({"get_param": "t"}, "must be true or false"),
        ({"and": [{"get_param": "n"}, True]}, "must be true or false"),
        ({"not": {"get_param": "n"}}, "must be true or false"),
        ({"and": [True]}, "too few"),
        ({"and": "yes"}, "needs a list"),
        ({"equals": [1]}, "too few"),
    ],
)
def test_a_condition_that_decides_nothing_is_told(condition: Any, words: str) -> None:
    problem = only_problem(stack, conditional(condition), strict=False)
    assert words in problem.text
    assert problem.at[:3] == ("resources", "r", "condition")


def test_a_circle_of_conditions_is_told() -> None:
    template = conditional("yes", a={"not": "b"}, b={"not": "a"})
    problem = only_problem(stack, template, strict=False)
    assert problem.text.startswith("Circular definition of conditions: ")
    assert problem.at[0] == "conditions"


@pytest.mark.parametrize(
    ("args", "version", "value"),
    [
        (["yes", 1, 2], "2015-04-30", 1),
        (["no", 1, 2], "2016-10-14", 2),
        ([False, 1], "2021-04-16", None),
        ([True, None, 2], "2021-04-16", None),
        ([{"equals": [1, 1]}, {"k": [1]}, 2], "2021-04-16", {"k": [1]}),
        ([True, {"if": [False, 1, 2]}, 3], "2021-04-16", 2),
    ],
)
def test_if(args: Any, version: str, value: Any) -> None:
    no: Any = {"not": "yes"} if version > "2016" else False
    sections = {"conditions": {"yes": True, "no": no}}
    assert value_of({"if": args}, version, sections=sections) == value


def test_an_if_without_else_leaves_nothing_behind() -> None:
    expr = {"list": ["a", {"if": [False, "b"]}, "c"], "map": {"k": 1, "l": {"if": [False, 1]}}}
    assert value_of(expr) == {"list": ["a", "c"], "map": {"k": 1}}
    joined = {"list_join": [",", ["a", {"if": [False, "b"]}]]}
    assert value_of(joined) == "a"


@pytest.mark.parametrize(
    ("args", "version"),
    [
        ([True, 1], "2018-08-31"),
        ([True], "2021-04-16"),
        ([True, 1, 2, 3], "2021-04-16"),
        ({"a": 1}, "2021-04-16"),
        ([], "2021-04-16"),
    ],
)
def test_an_if_of_the_wrong_shape_is_told(args: Any, version: str) -> None:
    assert "if: needs a list" in only_problem(value_of, {"if": args}, version).text


def test_when_a_condition_is_open_both_branches_are_checked() -> None:
    template = resources(
        a=thing(properties={"p": {"if": ["open", {"list_join": [",", [3]]}, {"digest": 1}]}})
    )
    template["parameters"] = {"p": {"type": "boolean"}}
    template["conditions"] = {"open": {"get_param": "p"}}
    assert len(problems_of(stack, template, strict=False)) == 2
    template["resources"]["a"]["properties"]["p"] = {"if": ["open", {"get_resource": "x"}, 2]}
    assert stack(template, strict=False).definitions["a"].properties == {"p": UNKNOWN}


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


@pytest.mark.parametrize(
    ("expr", "kind"),
    [
        ({"list_join": [",", [3, {"get_param": "p"}]]}, Kind.VALIDATION),
        ({"get_resource": "nope"}, Kind.REFERENCE),
        ({"get_param": "nope"}, Kind.PARAMETER_MISSING),
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
