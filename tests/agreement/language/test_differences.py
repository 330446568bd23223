"""What differs on purpose is written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agreement.language.differences import DIFFERENCES


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_has_a_row_in_the_docs(name: str, root: Path) -> None:
    assert f"\n| {name} |" in (root / "docs" / "differences.md").read_text()
