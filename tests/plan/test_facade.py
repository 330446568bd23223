"""A template in place of a type, or of another template, must serve where that serves."""

from __future__ import annotations

import pytest

from stoker.errors import Kind
from stoker.lang.environment import Environment, read_environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read
from stoker.plan.desired import desired
from stoker.resources.index import Index

INDEX = Index()
HEAD = "heat_template_version: 2018-08-31\n"
FACADE = (
    HEAD
    + """
parameters:
  one: {type: string}
  two: {type: number}
  extra: {type: string, default: x}
outputs:
  here-it-is: {value: noop}
"""
)
STACK = (
    HEAD
    + """
resources:
  a: {type: OS::Thingy, properties: {one: pre, two: 2}}
  b: {type: OS::Thingy, properties: {one: pre, two: 2}}
"""
)
MAPPED = {
    "OS::Thingy": "facade.yaml",
    "resources": {"a": {"OS::Thingy": "own.yaml"}, "b": {"OS::Thingy": "own.yaml"}},
}
ONE = "one: {type: string}"
TWO = "two: {type: number}"


def told(own: str, facade: str = FACADE) -> list[str]:
    """Return what is wrong with ``own`` in place of ``facade``."""
    return problems(read_environment({"resource_registry": MAPPED}), STACK, own, facade)


def problems(environment: Environment, stack: str, own: str, facade: str = FACADE) -> list[str]:
    instance = instantiate(read(stack), Inputs("s", "i", "p", environment))
    files = {"facade.yaml": facade, "own.yaml": own}
    _, found = desired(instance, environment, files, INDEX)
    assert all(each.kind is Kind.TYPE for each in found)
    return list(map(str, found))


def template(*parameters: str, outputs: str = "here-it-is: {value: x}") -> str:
    return f"{HEAD}parameters: {{{', '.join(parameters)}}}\noutputs: {{{outputs}}}\n"


@pytest.mark.parametrize(
    ("own", "text"),
    [
        (
            template("one: {type: string}", "two: {type: string}"),
            "Property two type mismatch between facade OS::Thingy and provider",
        ),
        (
            template(ONE, TWO, "three: {type: string}"),
            "Provider requires property three unknown in facade OS::Thingy",
        ),
        (
            template(ONE, TWO, outputs="other: {value: x}"),
            "Attribute here-it-is for facade OS::Thingy missing in provider",
        ),
    ],
)
def test_what_is_missing_is_told_once_in_the_words_of_heat(own: str, text: str) -> None:
    found = told(own)
    assert text in found
    assert found.count(text) == 1


def test_a_template_that_offers_more_is_fit() -> None:
    own = template(ONE, TWO, "more: {type: string, default: y}",
                   outputs="here-it-is: {value: x}, more: {value: x}")  # fmt: skip
    assert told(own) == []


def test_what_the_facade_does_not_require_may_be_missing_where_it_is_not_given() -> None:
    assert told(template(ONE, TWO)) == []


def test_a_property_that_the_facade_requires_must_be_there() -> None:
    stack = STACK.replace(", two: 2", "")
    environment = read_environment({"resource_registry": MAPPED})
    assert problems(environment, stack, template(ONE)) == [
        "Required property two for facade OS::Thingy missing in provider"
    ]


def test_a_template_in_place_of_a_type_has_the_types_attributes() -> None:
    environment = read_environment({"resource_registry": {"OS::Heat::Value": "own.yaml"}})
    stack = HEAD + "resources: {a: {type: OS::Heat::Value, properties: {value: 1}}}"
    value = "value: {type: json}"
    fit = template(value, outputs="value: {value: x}")
    assert problems(environment, stack, fit) == []
    missing = "Attribute value for facade OS::Heat::Value missing in provider"
    assert missing in problems(environment, stack, template(value))


def test_what_takes_anything_is_no_facade() -> None:
    environment = read_environment(
        {"resource_registry": {"OS::*": "OS::Heat::None", "OS::Thingy": "own.yaml"}}
    )
    assert problems(environment, STACK, template(ONE, TWO, outputs="")) == []


def test_a_template_alone_has_no_facade() -> None:
    environment = read_environment({"resource_registry": {"OS::Thingy": "own.yaml"}})
    assert problems(environment, STACK, template(ONE, TWO, outputs="")) == []


def test_an_output_may_ask_for_what_a_template_no_longer_gives() -> None:
    stack = f"{STACK}outputs: {{gone: {{value: {{get_attr: [a, here-it-is]}}}}}}\n"
    environment = read_environment({"resource_registry": {"OS::Thingy": "own.yaml"}})
    assert problems(environment, stack, template(ONE, TWO, outputs="")) == []
