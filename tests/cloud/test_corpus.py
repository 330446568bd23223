"""Real templates on real services: made, left alone, changed and removed.

The long form runs all that a real cloud can hold; the short form some of each kind.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cloud.conftest import Site
from tests.e2e.corpus import REAL, label
from tests.e2e.corpus_case import Case
from tests.e2e.corpus_driver import Driver

LONG = os.environ.get("STOKER_LONG") == "1"
STEP_SECONDS = 240.0
EVERY = 8
CASES = REAL if LONG else REAL[::EVERY]


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_real_template_lives_and_an_update_without_change_changes_nothing(
    case: Case, site: Site, shared: Path, name: str
) -> None:
    driver = Driver(site.rest, site.project, shared / "corpus" / "templates", STEP_SECONDS)
    driver.run(case, name[-60:])
