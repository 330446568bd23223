"""A parameter takes, turns and refuses values as it does in real Heat."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agreement.language import declarations, templates
from tests.agreement.language.asked import Heat
from tests.agreement.language.calls import seldom
from tests.agreement.language.compared import agree, cases


@pytest.mark.parametrize("of_type", declarations.TYPES)
def test_a_parameter_takes_what_it_takes_in_heat(of_type: str, heat: Heat) -> None:
    @cases
    @given(
        st.sampled_from(templates.VERSIONS),
        declarations.parameter(of_type),
        st.lists(seldom(declarations.VALUES[of_type], declarations.VALUE), max_size=1),
        st.lists(seldom(declarations.VALUES[of_type], declarations.VALUE), max_size=1),
    )
    def run(version: str, parameter: Any, given: list[Any], default: list[Any]) -> None:
        environment = {
            "parameters": dict(zip("p", given, strict=False)),
            "parameter_defaults": dict(zip("p", default, strict=False)),
        }
        agree(heat, "outputs", templates.declared(parameter, version), environment, {})

    run()
