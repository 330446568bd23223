"""Environment files are merged as real Heat merges them."""

from __future__ import annotations

from hypothesis import given

from tests.agreement.language import environments
from tests.agreement.language.asked import Heat
from tests.agreement.language.compared import agree, cases


def test_environments_are_merged_as_in_heat(heat: Heat) -> None:
    @cases
    @given(environments.FILES)
    def run(files: list[str]) -> None:
        agree(heat, "merged", files, environments.TEMPLATE)

    run()
