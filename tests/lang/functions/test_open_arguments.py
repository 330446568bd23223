"""Calls that must wait for a resource are told what is wrong with them whatever it will say.

Rule: what is refused with a part that is not known is refused with every value of that part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.lang.functions.registry import Function, functions_at
from stoker.lang.syntax import Call
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import HOT
from tests.agreement.language.calls import ARGUMENTS
from tests.lang.writing import only_problem, stack

LATER = "{get_attr: [x, value]}"
NOT_YET = (UNKNOWN, Call("get_attr", ["x", "value"], "2021-04-16"))
VERSIONS = (*HOT, "2012-12-12", "2010-09-09")


def pure() -> Iterator[Function]:
    """Yield each meaning of each function that needs nothing but its arguments."""
    found: dict[tuple[str, str], Function] = {}
    for version in VERSIONS:
        for each in functions_at(version).values():
            if not (each.scoped or each.slow) and each.name in ARGUMENTS and each.name != "if":
                found[each.name, each.since] = each
    yield from found.values()


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for step, each in entries:
        yield (*at, step)
        if isinstance(each, dict | list):
            yield from places(each, (*at, step))


def opened(value: Any, draw: Any, chosen: set[tuple[Any, ...]], at: tuple[Any, ...] = ()) -> Any:
    """Return a copy of ``value`` in which nothing is known of what stands at the chosen places."""
    if at in chosen:
        return draw(st.sampled_from(NOT_YET))
    if isinstance(value, dict):
        return {key: opened(each, draw, chosen, (*at, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [opened(each, draw, chosen, (*at, i)) for i, each in enumerate(value)]
    return value


@pytest.mark.parametrize("function", list(pure()), ids=lambda each: f"{each.name} {each.since}")
@given(data=st.data())
def test_a_sound_call_is_not_refused_while_parts_of_it_are_open(
    function: Function, data: st.DataObject
) -> None:
    args = data.draw(ARGUMENTS[function.name])
    try:
        function.impl(args)
    except Invalid:
        return
    where = list(places(args)) if isinstance(args, dict | list) else []
    if where:
        chosen = data.draw(st.sets(st.sampled_from(where), min_size=1, max_size=3))
        function.impl(opened(args, data.draw, chosen))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (f"list_join: [{LATER}]", "too few"),
        (f"list_join: [{LATER}, [a, 1]]", "cannot join 1"),
        (f"str_replace: {{template: {LATER}}}", "lacks params"),
        (f"str_replace: {{template: abc, params: {{a: {LATER}, '': b}}}}", "empty text"),
        (f"str_replace_strict: {{template: abc, params: {{d: {LATER}}}}}", "does not hold"),
        (f"str_replace_vstrict: {{template: abc, params: {{a: {LATER}, c: ''}}}}", "is empty"),
        (f"digest: [nope, {LATER}]", "no algorithm"),
        (f"make_url: {{host: {LATER}, query: nope}}", "query must be a map"),
        (f"make_url: {{host: {LATER}, port: 70000}}", "the port must be"),
        (f"make_url: {{path: {LATER}, scheme: 'a:b'}}", "colon"),
        (f"repeat: {{template: x, for_each: {{a: {LATER}}}, permutations: 7}}", "permutations"),
        (f"repeat: {{template: x, for_each: {{a: {LATER}, b: c}}}}", "must be a list"),
        (f"map_replace: [{LATER}, {{keys: 1}}]", "keys must be a map"),
        (f"map_replace: [{{a: 1, b: {LATER}}}, {{keys: {{a: b}}}}]", "would both be called"),
        (f"map_merge: [{LATER}, abc]", "must be a map"),
        (f"str_split: [{LATER}, 1]", "must be text"),
        (f"str_split: [{LATER}, abc, x]", "whole number"),
        (f"yaql: {{data: {LATER}}}", "lacks expression"),
        (f"list_concat: [{LATER}, abc]", "must be a list"),
        (f"filter: [a, [{LATER}]]", "must be a list"),
        (f"contains: [{LATER}]", "too few"),
    ],
)
def test_what_is_wrong_whatever_the_resource_says_is_told_at_once(call: str, words: str) -> None:
    text = f"""\
heat_template_version: 2021-04-16
resources:
  x: {{type: T}}
  y: {{type: T, properties: {{p: {{{call}}}}}}}
"""
    problem = only_problem(stack, text)
    assert words in problem.text
    assert problem.at[:4] == ("resources", "y", "properties", "p")
