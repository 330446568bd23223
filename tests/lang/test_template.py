from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.template import read
from stoker.lang.versions import ALIASES, HOT
from tests.lang.writing import only_problem, outputs, problems_of, summary


@pytest.mark.parametrize("version", HOT)
def test_every_version_is_read(version: str) -> None:
    assert read(f"heat_template_version: {version}").version == version


@pytest.mark.parametrize(("alias", "version"), ALIASES.items())
def test_an_alias_is_a_version(alias: str, version: str) -> None:
    template = read(f"heat_template_version: {alias}")
    assert template.version == version
    assert template.raw == {"heat_template_version": alias}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "Template version was not provided"),
        ("", "Template version was not provided"),
        ("heat_template_version: 5", "Template version was not provided"),
        (
            "heat_template_version: juno",
            'The template version is invalid: "heat_template_version: juno". "heat_t',
        ),
        ("heat_template_version: 2013-05-24", "should be one of: 2013-05-23"),
        ("HeatTemplateFormatVersion: '2012-12-13'", "should be: 2012-12-12"),
        ("AWSTemplateFormatVersion: '2010-09-10'", "should be: 2010-09-09"),
        (
            "heat_template_version: rocky\nAWSTemplateFormatVersion: '2010-09-09'",
            "more than one version",
        ),
    ],
)
def test_the_version_decides_the_language(text: str, words: str) -> None:
    problem = only_problem(read, text)
    assert problem.kind is Kind.VERSION
    assert words in problem.text


@pytest.mark.parametrize("text", ["- a", "5", "just text"])
def test_a_template_is_a_map(text: str) -> None:
    problem = only_problem(read, text)
    assert summary(problem) == (Kind.TEMPLATE, "", "1:1")
    assert "must be a map" in problem.text


ALL_WRONG = """\
heat_template_version: 2021-04-16
descripton: x
parameters:
  p: {type: strng}
  q: {typ: string}
  r: 5
resources:
  a/b: {type: T}
  b: {propertis: {}}
  c: null
  d: {type: [T], properties: [x], metadata: y, depends_on: [{get_resource: b}]}
  p: {type: T}
  e: {type: T, condition: 5, update_policy: {Ref: x}}
outputs:
  o: {valu: 1}
  l: [1]
conditions:
  c: name
  d: {get_attr: [b, x]}
parameter_groups:
- parameters: [p, nope, p]
- {label: x}
"""


def test_every_problem_is_told_at_once_each_with_its_place() -> None:
    found = {summary(each) for each in problems_of(read, ALL_WRONG)}
    assert found == {
        (Kind.SECTION, "descripton", "2:1"),
        (Kind.SCHEMA, "parameters.p.type", "4:7"),
        (Kind.SCHEMA, "parameters.q.typ", "5:7"),
        (Kind.SCHEMA, "parameters.q", "5:3"),
        (Kind.SCHEMA, "parameters.r", "6:3"),
        (Kind.VALIDATION, "resources.a/b", "8:3"),
        (Kind.VALIDATION, "resources.b.propertis", "9:7"),
        (Kind.VALIDATION, "resources.b", "9:3"),
        (Kind.VALIDATION, "resources.c", "10:3"),
        (Kind.VALIDATION, "resources.d.type", "11:7"),
        (Kind.VALIDATION, "resources.d.properties", "11:18"),
        (Kind.VALIDATION, "resources.d.metadata", "11:35"),
        (Kind.VALIDATION, "resources.d.depends_on", "11:48"),
        (Kind.VALIDATION, "resources.p", "12:3"),
        (Kind.VALIDATION, "resources.e.condition", "13:16"),
        (Kind.VERSION, "resources.e.update_policy", "13:30"),
        (Kind.VALIDATION, "outputs.o", "15:3"),
        (Kind.VALIDATION, "outputs.l", "16:3"),
        (Kind.VALIDATION, "conditions.c", "18:3"),
        (Kind.VALIDATION, "conditions.d", "19:3"),
        (Kind.VALIDATION, "parameter_groups.0.parameters.1", "21:19"),
        (Kind.VALIDATION, "parameter_groups.0.parameters.2", "21:25"),
        (Kind.VALIDATION, "parameter_groups.1", "22:3"),
    }


@pytest.mark.parametrize(
    "depends_on", [[{"get_resource": "a"}], 5, [["a"]], {"a": 1}, 0, False, {}]
)
def test_depends_on_is_a_name_or_a_list_of_names(depends_on: Any) -> None:
    resources = {"a": {"type": "T"}, "b": {"type": "T", "depends_on": depends_on}}
    problem = only_problem(read, {"heat_template_version": HOT[-1], "resources": resources})
    assert problem.at == ("resources", "b", "depends_on")
    assert "the name of a resource or a list of names" in problem.text


@pytest.mark.parametrize("section", ["resources", "outputs", "parameters", "conditions"])
def test_a_section_that_is_no_map_is_told(section: str) -> None:
    problem = only_problem(read, f"heat_template_version: rocky\n{section}: [a]")
    assert summary(problem) == (Kind.VALIDATION, section, "2:1")


def test_a_section_without_anything_counts_as_absent() -> None:
    sections = "resources:\noutputs:\nparameters:\nconditions:\nparameter_groups:\n"
    template = read("heat_template_version: rocky\n" + sections)
    assert (template.resources, template.outputs, template.parameters) == ({}, {}, {})


@pytest.mark.parametrize("empty", [[], "", 0, False, {}], ids=str)
def test_what_is_empty_counts_as_absent_as_generators_write_it(empty: Any) -> None:
    sections = dict.fromkeys(("resources", "outputs", "parameters", "parameter_groups"), empty)
    template = read({"heat_template_version": "rocky", **sections})
    assert (template.resources, template.outputs, template.parameters) == ({}, {}, {})
    assert template.parameter_groups == ()


@pytest.mark.parametrize("empty", [[], "", False], ids=str)
def test_conditions_that_are_empty_but_no_map_are_told(empty: Any) -> None:
    template = {"heat_template_version": "rocky", "conditions": empty}
    assert only_problem(read, template).at == ("conditions",)


@pytest.mark.parametrize(
    ("given", "text"),
    [("a", "a"), ({"a": ["ü"]}, '{"a": ["ü"]}'), ([], "[]"), (5, "5"), (None, None)],
    ids=str,
)
def test_a_description_that_is_no_text_is_shown_as_its_json(given: Any, text: str | None) -> None:
    words = {"label": given, "description": given}
    template = read(
        {
            "heat_template_version": "rocky",
            "description": given,
            "parameters": {"p": {"type": "string", "tags": [given], **words}},
            "parameter_groups": [{"parameters": ["p"], **words}],
            "outputs": {"o": {"value": 1, "description": given}},
        }
    )
    parameter, (group,) = template.parameters["p"], template.parameter_groups
    assert [template.description, parameter.label, group.label, group.description] == [text] * 4
    assert parameter.tags == (() if text is None else (text,))
    assert [parameter.description, template.outputs["o"].description] == [text or ""] * 2


def test_the_description_of_a_resource_is_text() -> None:
    resource = {"type": "T", "description": ["a"]}
    template = {"heat_template_version": "rocky", "resources": {"r": resource}}
    assert only_problem(read, template).at == ("resources", "r", "description")


def test_keys_of_outputs_and_groups_that_mean_nothing_are_passed_over() -> None:
    template = read(
        {
            "heat_template_version": "rocky",
            "parameter_groups": [{"parameters": [], "x": 1}],
            "outputs": {"o": {"value": 1, "type": "string"}},
        }
    )
    assert template.outputs["o"].value == 1
    assert len(template.parameter_groups) == 1


def test_an_output_whose_value_is_misspelt_says_so() -> None:
    problem = only_problem(read, outputs(1, "rocky") | {"outputs": {"o": {"valu": 1}}})
    assert problem.hint == "valu: did you mean value?"


def test_an_output_without_a_condition_may_say_so() -> None:
    template = {"heat_template_version": "rocky", "outputs": {"o": {"value": 1, "condition": None}}}
    assert read(template).outputs["o"].condition is True


@pytest.mark.parametrize("section", [7, "p", ["p"]], ids=str)
def test_a_group_names_nothing_where_parameters_are_no_map(section: Any) -> None:
    groups = [{"parameters": ["p"]}]
    template = {
        "heat_template_version": "rocky", "parameters": section, "parameter_groups": groups,
    }  # fmt: skip
    assert {each.at[0] for each in problems_of(read, template)} == {
        "parameters",
        "parameter_groups",
    }


def test_null_is_no_parameter_of_a_group() -> None:
    groups = [{"parameters": ["OS::stack_name", None]}]
    problem = only_problem(read, {"heat_template_version": "rocky", "parameter_groups": groups})
    assert problem.at == ("parameter_groups", 0, "parameters", 1)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("conditions: {c: true}", "2014-10-16"),
        ("resources: {r: {type: T, condition: true}}", "2014-10-16"),
        ("outputs: {o: {value: 1, condition: true}}", "2014-10-16"),
        ("resources: {r: {type: T, external_id: x}}", "2016-10-14"),
        ("parameters: {p: {type: string, tags: [a]}}", "2018-03-02"),
        (
            "parameters: {p: {type: number, constraints: [{modulo: {step: 2, offset: 0}}]}}",
            "2017-02-24",
        ),
    ],
)
def test_a_key_is_refused_before_its_version(text: str, since: str) -> None:
    read(f"heat_template_version: {since}\n{text}")
    before = HOT[HOT.index(since) - 1]
    problem = only_problem(read, f"heat_template_version: {before}\n{text}")
    assert f"needs heat_template_version {since} or newer" in problem.text


def test_a_group_may_name_pseudo_parameters() -> None:
    groups = "parameter_groups: [{label: l, description: d, parameters: ['OS::stack_name']}]"
    (group,) = read(f"heat_template_version: rocky\n{groups}").parameter_groups
    assert (group.label, group.description, group.parameters) == ("l", "d", ("OS::stack_name",))


def test_a_template_that_was_never_text_has_paths_alone() -> None:
    template = {"heat_template_version": "rocky", "resources": {"r": {"type": 5}}}
    assert summary(only_problem(read, template)) == (Kind.VALIDATION, "resources.r.type", "")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"get_attr": ["r", "a"]}, "cannot be used in a condition"),
        ({"not": {"list_join": []}}, "cannot be used in a condition"),
        ({"equals": [{"get_resource": "r"}, 1]}, "cannot be used in a condition"),
        ({"nope": 1}, "is no function"),
        ({"equals": [{"Ref": "OS::stack_name"}, 1]}, "was removed in heat_template_version"),
        ({"not": {"equals": [[{"Fn::Join": ["", ["a"]]}], 1]}}, "was removed in"),
        ({"and": [True], "or": [True]}, "true, false, the name of a condition"),
        (["a"], "true, false, the name of a condition"),
        (None, "true, false, the name of a condition"),
        ("other", "definition is true, false or one function"),
    ],
)
def test_what_cannot_be_a_condition_is_told(condition: Any, words: str) -> None:
    template = {"heat_template_version": "rocky", "conditions": {"c": condition}}
    assert words in only_problem(read, template).text
