"""Whatever a template, an environment or a text holds, only Invalid comes out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.lang.environment import merge, read_environment
from stoker.lang.expression import dump, evaluate, load, references
from stoker.lang.functions.registry import value_functions
from stoker.lang.stack import Inputs, instantiate, shown_parameters, template_parameters
from stoker.lang.template import read
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import HOT

FUNCTIONS = sorted({name for version in HOT for name in value_functions(version)} | {"Ref"})
LOGIC = ["equals", "not", "and", "or"]
ARGUMENTS = ["template", "params", "for_each", "permutations", "keys", "values", "host", "port"]
WORDS = ["a", "b", "c", "p", "q", "", "1", "sha256", "metadata", "$", "%x%", ",", "OS::stack_id"]
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(WORDS) | st.just(1.5)
KEYS = st.sampled_from(FUNCTIONS + LOGIC + ARGUMENTS + WORDS)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(lambda name: {"get_resource": name}, st.sampled_from(["a", "b"]))
        | st.builds(lambda path: {"get_attr": ["a", "x", *path]}, st.lists(inner, max_size=2))
        | st.builds(lambda path: {"get_param": ["p", *path]}, st.lists(inner, max_size=2))
        | st.builds(
            lambda name, items: {name: items},
            st.sampled_from(FUNCTIONS), st.lists(inner, min_size=1, max_size=3),
        )
        | st.dictionaries(KEYS, inner, min_size=1, max_size=2)
        | st.dictionaries(st.sampled_from(FUNCTIONS + LOGIC), inner, min_size=1, max_size=1)
        | st.fixed_dictionaries({"str_replace": st.fixed_dictionaries(
            {"template": inner, "params": st.dictionaries(KEYS, inner, max_size=2)})})
        | st.fixed_dictionaries({"repeat": st.fixed_dictionaries(
            {"template": inner, "for_each": st.dictionaries(KEYS, inner, max_size=2)},
            optional={"permutations": inner})})
        | st.fixed_dictionaries({"if": st.tuples(inner, inner, inner).map(list)})
    ),
    max_leaves=10,
)  # fmt: skip


def odd(*keys: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return maps with some of the keys and anything under them."""
    return st.fixed_dictionaries({}, optional=dict.fromkeys(keys, JUNK))


NAMES = st.sampled_from(["a", "b", "c"])
PARAMETER = odd("default", "hidden", "label", "constraints", "tags", "immutable").flatmap(
    lambda rest: st.sampled_from(
        ["string", "number", "json", "comma_delimited_list", "boolean"]
    ).map(lambda type_name: {"type": type_name, **rest})
)
RESOURCE = odd(
    "properties", "metadata", "depends_on", "update_policy", "deletion_policy", "external_id",
    "description", "condition",
).map(lambda rest: {"type": "T", **rest})  # fmt: skip
OUTPUT = odd("description", "condition").flatmap(
    lambda rest: JUNK.map(lambda value: {"value": value, **rest})
)
TEMPLATE = st.fixed_dictionaries(
    {"heat_template_version": st.sampled_from(HOT)},
    optional={
        "description": JUNK,
        "parameters": st.dictionaries(st.sampled_from(["p", "q"]), PARAMETER | JUNK, max_size=2),
        "conditions": st.dictionaries(NAMES, JUNK, max_size=3),
        "resources": st.dictionaries(NAMES, RESOURCE | JUNK, max_size=3),
        "outputs": st.dictionaries(NAMES, OUTPUT | JUNK, max_size=2),
        "parameter_groups": JUNK,
    },
)
PLAIN = {"type": "T"}
MILD = st.builds(
    lambda version, x, o: {
        "heat_template_version": version,
        "parameters": {
            "p": {"type": "json", "default": {"a": ["b", 1]}},
            "q": {"type": "number", "hidden": True, "default": 1},
        },
        "resources": {"a": PLAIN, "b": PLAIN, "c": {"type": "T", "properties": {"x": x}}},
        "outputs": {"o": {"value": o}},
    },
    st.sampled_from(HOT),
    JUNK,
    JUNK,
)


class Junk:
    """Resources that answer anything."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def reference(self, resource: str) -> Any:
        return self._answer

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return self._answer


@contextmanager
def tolerated() -> Iterator[None]:
    """Let Invalid pass, if it says anything and says it without the marks of masking."""
    try:
        yield
    except Invalid as error:
        texts = [each.text for each in error.problems]
    else:
        texts = ["fine"]
    assert all(texts)
    assert texts
    assert not re.search("[\x02\x03]", "".join(texts))


@given(TEMPLATE | MILD, st.dictionaries(st.sampled_from(["p", "q"]), JUNK), JUNK, st.booleans())
def test_only_invalid_comes_of_a_template(
    raw: Any, given_: dict[str, Any], answer: Any, strict: Any
) -> None:
    with tolerated():
        template = read(json.dumps(raw))
        inputs = Inputs("s", "i", "p", parameters=given_, files={"a": "text"}, strict=strict)
        instance = instantiate(template, inputs)
        json.dumps(shown_parameters(template, instance))
        json.dumps(template_parameters(template))
        for definition in instance.definitions.values():
            wanted = definition.properties
            assert {each.resource for each in references(wanted)} <= set(instance.definitions)
            assert load(json.loads(json.dumps(dump(wanted)))) == wanted
            evaluate(wanted, Junk(UNKNOWN))
            evaluate(wanted, Junk(answer))
        for output in instance.outputs.values():
            evaluate(output.value, Junk(answer))


SECTIONS = odd(
    "parameters", "parameter_defaults", "resource_registry", "event_sinks",
    "encrypted_param_names", "parameter_merge_strategies",
)  # fmt: skip
REGISTRY = st.dictionaries(
    st.sampled_from(["A", "B", "A*", "*", "resources"]), JUNK | st.sampled_from(["A", "x.yaml"])
)


@given(SECTIONS, REGISTRY)
def test_only_invalid_comes_of_an_environment(raw: Any, registry: Any) -> None:
    with tolerated():
        environment = read_environment({**raw, "resource_registry": registry})
        environment.resolve("A", "a")
        environment.for_child("a", "A").resolve("A", "a")
        environment.hooks("a")
        merge([environment, environment], {"p": "json"})


@given(st.text() | st.text("abc:-[]{}&*!|>'\"%@` \n\t#?,<", max_size=40))
def test_only_invalid_comes_of_a_text(text: str) -> None:
    for call in (read, read_environment):
        with tolerated():
            call(text)
