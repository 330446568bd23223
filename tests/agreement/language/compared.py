"""Comparing both answers, but for what differs on purpose.

Rule: a difference has a name, which docs/differences.md explains, and says of a question and
both answers whether it is at work; nothing else may differ.
"""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import HealthCheck, settings

from tests.agreement.language.asked import Heat, stoker
from tests.agreement.language.differences import name_of

LONG = os.environ.get("STOKER_LONG") == "1"
cases = settings(
    max_examples=2000 if LONG else 50,
    derandomize=not LONG,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""The short form always asks the same, so that it fails only for what was changed."""


def agree(heat: Heat, question: str, *arguments: Any) -> None:
    """Assert that Heat and Stoker say the same, or differ on purpose."""
    theirs, ours = heat.ask(question, *arguments), stoker(question, *arguments)
    if theirs.value == ours.value or name_of(arguments, theirs, ours):
        return
    asked = json.dumps(arguments, indent=1, ensure_ascii=False)
    raise AssertionError(f"{question} {asked}\nHeat:   {theirs}\nStoker: {ours}")
