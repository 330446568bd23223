"""What references ask of types is looked at before anything is made."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Problem
from stoker.lang.environment import Environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read
from stoker.plan.desired import desired
from stoker.resources.index import Index
from tests.lang.writing import outputs

INDEX = Index()
RESOURCES = {"a": {"type": "OS::Heat::RandomString"}}


def problems(expr: Any) -> list[Problem]:
    """Return what is wrong with an output beside the resource ``a``."""
    instance = instantiate(
        read(outputs(expr, "2021-04-16", resources=RESOURCES)), Inputs("s", "i", "p")
    )
    return desired(instance, Environment(), {}, INDEX)[1]


@pytest.mark.parametrize("whole", ["a", ["a"], ["a", {"get_attr": ["a", "value"]}]], ids=str)
def test_all_attributes_of_a_resource_can_be_asked_for(whole: Any) -> None:
    assert problems({"get_attr": whole}) == []


def test_an_attribute_that_the_type_has_not_is_told() -> None:
    (problem,) = problems({"get_attr": ["a", "valu"]})
    assert problem.at == ("outputs", "o", "value", "get_attr")
    assert problem.hint == "did you mean value?"
