"""The rules of lint, each where it could be wrong."""

from __future__ import annotations

import pytest

from stoker.errors import Code, Place
from stoker.lang.lint import Subject, findings
from stoker.lang.lint.comments import comments
from stoker.lang.template import read

HOT = "heat_template_version: 2021-04-16\n"
CFN = "AWSTemplateFormatVersion: 2010-09-09\n"
UNUSED = "parameters: {p: {type: string}}\n"


def found(text: str) -> list[tuple[Code, str]]:
    """Return the code and the path of all that the rules find."""
    problems = findings(Subject(read(text, "t"), text))
    return [(each.code, ".".join(map(str, each.at))) for each in problems]


@pytest.mark.parametrize(
    "use",
    [
        "outputs: {o: {value: {get_param: p}}}",
        "outputs: {o: {value: {get_param: [p, a, 0]}}}",
        "outputs: {o: {value: {list_join: ['', [{get_param: p}]]}}}",
        "conditions: {c: {equals: [{get_param: p}, 1]}}\nresources: {r: {type: T, condition: c}}",
        "resources: {r: {type: T, deletion_policy: {get_param: p}}}",
        "resources: {r: {type: T, metadata: {a: [{get_param: p}]}}}",
        "resources: {r: {type: T, properties: {a: {get_param: {get_attr: [r, b]}}}}}",
    ],
)
def test_a_parameter_is_used_wherever_it_stands(use: str) -> None:
    assert (Code.UNUSED_PARAMETER, "parameters.p") not in found(HOT + UNUSED + use)
    assert (Code.UNUSED_PARAMETER, "parameters.p") in found(HOT + UNUSED)


@pytest.mark.parametrize(
    "use",
    ["{Ref: p}", "!Ref p", "!Sub 'a${p}'", "!Sub ['${x}', {x: !Ref p}]", "{'Fn::Sub': '${p}'}"],
)
def test_ref_uses_a_parameter_of_cloudformation(use: str) -> None:
    text = CFN + f"Parameters: {{p: {{Type: String}}}}\nOutputs: {{o: {{Value: {use}}}}}\n"
    assert found(text) == []


def test_a_key_that_means_nothing_is_told_where_it_stands() -> None:
    text = HOT + (
        "parameters: {p: {type: string}}\n"
        "parameter_groups: [{parameters: [p], lable: x}]\n"
        "outputs: {o: {value: {get_param: p}, descripton: x}}\n"
    )
    problems = list(findings(Subject(read(text, "t"), text)))
    assert [(each.code, each.at, each.place, each.hint) for each in problems] == [
        (
            Code.IGNORED_KEY,
            ("outputs", "o", "descripton"),
            Place("t", 4, 38),
            "did you mean description?",
        ),
        (
            Code.IGNORED_KEY,
            ("parameter_groups", 0, "lable"),
            Place("t", 3, 38),
            "did you mean label?",
        ),
    ]


def test_a_key_of_a_resource_of_cloudformation_may_mean_nothing() -> None:
    text = (
        CFN + "Resources: {r: {Type: T, DependOn: q}}\nOutputs: {o: {Value: !Ref r, Export: {}}}\n"
    )
    assert found(text) == [
        (Code.IGNORED_KEY, "resources.r.DependOn"),
        (Code.IGNORED_KEY, "outputs.o.Export"),
    ]


@pytest.mark.parametrize("empty", ["[]", "''", "false", ""])
def test_an_empty_section_holds_no_keys(empty: str) -> None:
    text = HOT + f"resources: {empty}\noutputs: {empty}\nparameter_groups: {empty}\n"
    assert found(text) == []


def test_a_condition_that_another_names_is_used() -> None:
    text = HOT + "conditions: {a: true, b: {not: a}}\nresources: {r: {type: T, condition: b}}\n"
    assert found(text) == []


def test_an_output_with_a_condition_is_not_the_same_for_every_stack() -> None:
    text = HOT + "conditions: {a: true}\noutputs: {o: {value: 1, condition: a}}\n"
    assert found(text) == []


def test_branches_within_branches_are_looked_at() -> None:
    inner = "{if: [b, {list_join: [x]}, {get_resource: none}]}"
    text = (
        HOT
        + f"conditions: {{a: true, b: true}}\noutputs: {{o: {{value: {{if: [a, 1, {inner}]}}}}}}\n"
    )
    at = "outputs.o.value.if.2.if"
    assert set(found(text)) == {
        (Code.FUNCTION_ARGUMENTS, f"{at}.1.list_join"),
        (Code.UNKNOWN_RESOURCE, f"{at}.2.get_resource"),
    }


def test_what_the_stack_above_gives_is_no_fault_of_the_template() -> None:
    value = "{str_replace: {template: {get_file: a}, params: {x: {resource_facade: metadata}}}}"
    assert found(HOT + f"outputs: {{o: {{value: {value}}}}}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "resources: {r: {type: T, metadata: {a: 1, b: {a: 1}, c: [{a: 1}, {a: 2}]}}}",
        "resources:\n  r: &r {type: T, metadata: {a: 1}}\n  s: {<<: *r, metadata: {<<: {a: 2}}}",
        "resources: {r: {type: T, metadata: {a: a, b: a, '<<': a}}}",
    ],
)
def test_equal_keys_of_different_maps_are_no_duplicates(text: str) -> None:
    assert found(HOT + text) == []


def test_a_duplicate_in_a_list_has_its_path() -> None:
    text = "resources: {r: {type: T, metadata: {l: [x, {a: {b: 1, b: 2}}]}}}"
    assert found(HOT + text) == [(Code.DUPLICATE_KEY, "resources.r.metadata.l.1.a.b")]


def test_a_duplicate_within_a_short_form_has_the_path_of_the_long_one() -> None:
    text = CFN + "Outputs: {o: {Value: !Sub ['${AWS::Region}', {a: 1, a: 2}]}}\n"
    assert found(text) == [(Code.DUPLICATE_KEY, "Outputs.o.Value.Fn::Sub.1.a")]


@pytest.mark.parametrize(
    ("key", "is_text"),
    [("on", False), ("'on'", True), ("0x10", False), ("80", True), ("~", False), ("name", True)],
)
def test_a_key_that_gets_another_name_is_told(key: str, *, is_text: bool) -> None:
    text = HOT + f"resources: {{r: {{type: T, metadata: {{{key}: 1}}}}}}"
    assert found(text) == ([] if is_text else [(Code.KEY_NOT_TEXT, f"resources.r.metadata.{key}")])


def test_a_comment_in_a_text_or_without_a_code_is_none() -> None:
    said = comments("a: b#stoker: disable=name\n# stoker: disable\n", "f")
    assert (said.whole, said.lines, said.problems) == (frozenset(), {}, ())


def test_a_code_that_does_not_exist_is_told_at_its_place() -> None:
    (problem,) = comments("a: 1 # stoker: disable=names\n", "f").problems
    assert problem.place == Place("f", 1, 24)
    assert problem.hint == "did you mean name?"
