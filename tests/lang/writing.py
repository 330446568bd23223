"""Small templates for the tests of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from stoker.errors import Code, Invalid, Kind, Problem
from stoker.lang.environment import read_environment
from stoker.lang.stack import Inputs, Instance, instantiate
from stoker.lang.template import read

NEWEST = "2021-04-16"
OF_THE_WHOLE = {Code.MALFORMED, Code.TEMPLATE_VERSION, Code.WRONG_SHAPE}
"""What may be wrong with a document as a whole."""


def stack(source: str | Mapping[str, Any], **inputs: Any) -> Instance:
    """Return the stack of a template, by default called ``s``."""
    named = {"stack_name": "s", "stack_id": "the-id", "project_id": "p", **inputs}
    return instantiate(read(source), Inputs(**named))


def outputs(expr: Any, version: str, **sections: Any) -> dict[str, Any]:
    """Return a template with ``expr`` as the output ``o``."""
    return {"heat_template_version": version, "outputs": {"o": {"value": expr}}, **sections}


def resources(**definitions: Any) -> dict[str, Any]:
    """Return a template with these resources."""
    return {"heat_template_version": NEWEST, "resources": definitions}


def thing(**keys: Any) -> dict[str, Any]:
    """Return a resource of some type."""
    return {"type": "T", **keys}


def value_of(expr: Any, version: str = NEWEST, *, sections: Any = None, **inputs: Any) -> Any:
    """Return what ``expr`` gives as an output that hangs on no resource."""
    made = stack(outputs(expr, version, **(sections or {})), **inputs).outputs["o"]
    assert made.problems == ()
    return made.value


def problems_of(call: Callable[..., Any], *args: Any, **named: Any) -> tuple[Problem, ...]:
    """Return the problems that the call raises.

    Each has a code, a path where one can be, and a place where it is in a text.
    """
    is_text = call in (stack, read, read_environment) and isinstance(args[0], str)
    with pytest.raises(Invalid) as raised:
        call(*args, **named)
    for each in raised.value.problems:
        assert each.code is not Code.INVALID, each
        assert each.at or each.code in OF_THE_WHOLE, each
        assert each.place or each.code is Code.UNKNOWN_PARAMETER or not is_text, each
    return raised.value.problems


def only_problem(call: Callable[..., Any], *args: Any, **named: Any) -> Problem:
    """Return the only problem that the call raises."""
    (problem,) = problems_of(call, *args, **named)
    return problem


def summary(problem: Problem) -> tuple[Kind, str, str]:
    """Return a problem's kind, its path as text and its place as ``line:column``."""
    place = f"{problem.place.line}:{problem.place.column}" if problem.place else ""
    return problem.kind, ".".join(map(str, problem.at)), place
