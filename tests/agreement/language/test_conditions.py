"""Conditions hold when they hold in real Heat."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.agreement.language import calls, templates
from tests.agreement.language.asked import Heat
from tests.agreement.language.compared import agree, cases

WITH = [each for each in templates.VERSIONS if each >= templates.FIRST_WITH_CONDITIONS]
CHOICE = {"if": ["c", "then", "else"]}


def test_a_condition_holds_when_it_holds_in_heat(heat: Heat) -> None:
    @cases
    @given(st.sampled_from(WITH), calls.seldom(calls.CONDITION))
    def run(version: str, condition: Any) -> None:
        template = templates.hot(CHOICE, version, {"c": condition})
        agree(heat, "outputs", template, {}, {})

    run()


def test_a_condition_that_nothing_uses_is_refused_when_it_is_in_heat(heat: Heat) -> None:
    @cases
    @given(st.sampled_from(WITH), calls.seldom(calls.CONDITION))
    def run(version: str, condition: Any) -> None:
        agree(heat, "outputs", templates.hot(1, version, {"unused": condition}), {}, {})

    run()


def test_a_condition_of_cloudformation_holds_when_it_holds_in_heat(heat: Heat) -> None:
    @cases
    @given(calls.CFN_CONDITION)
    def run(condition: Any) -> None:
        template = templates.cfn({"Fn::If": ["C", "then", "else"]}, templates.AWS)
        template["Conditions"] = {**calls.CFN_CONDITIONS, "C": condition}
        agree(heat, "outputs", template, {}, {})

    run()
