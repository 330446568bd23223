"""Every function gives what it gives in real Heat, or is refused where it is refused there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agreement.language import calls, templates
from tests.agreement.language.asked import Heat
from tests.agreement.language.compared import agree, cases


@pytest.mark.parametrize("name", calls.ARGUMENTS)
def test_a_function_gives_what_it_gives_in_heat(name: str, heat: Heat) -> None:
    @cases
    @given(st.sampled_from(templates.VERSIONS), calls.ARGUMENTS[name])
    def run(version: str, args: Any) -> None:
        agree(heat, "outputs", templates.hot({name: args}, version), {}, templates.FILES)

    run()


@pytest.mark.parametrize("name", calls.CFN_ARGUMENTS)
def test_a_function_of_cloudformation_gives_what_it_gives_in_heat(name: str, heat: Heat) -> None:
    @cases
    @given(st.sampled_from(templates.CFN_VERSIONS), calls.CFN_ARGUMENTS[name])
    def run(version: tuple[str, str], args: Any) -> None:
        agree(heat, "outputs", templates.cfn({name: args}, version), {}, templates.FILES)

    run()
