"""Templates from the field with one small change are refused when real Heat refuses them.

Rule: of a template that Heat refuses as it is, or for lack of a cloud, nothing is said.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stoker.errors import Invalid
from tests.agreement.corpus import Case, Files, previews, without_custom_constraints
from tests.agreement.language.asked import Answer, Heat, stoker
from tests.agreement.language.changes import changed
from tests.agreement.language.compared import agree, cases

SMALL = 3000
"""Bytes."""
OF_THE_CLOUD = ("HEAT-E99001", "Authorization failed", "AttributeError: resources.")
"""What Heat says for lack of services, and of an engine that makes nested stacks."""
LATER = ("Unknown resource Type : OS::", "Unknown resource Type : AWS::", "of the stack's own")
OF_ATTRIBUTES = re.compile(
    r"the attribute's name must be text|a step must be a key or an index|\.get_attr\.[2-9]\."
)
Question = tuple[Any, dict[str, Any], dict[str, str]]


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "corpus" / "templates"


@pytest.fixture(scope="module")
def sources(shared: Path, folder: Path) -> list[Case]:
    found = [each for each in previews(shared / "corpus") if not each.kind]
    return [each for each in found if (folder / each.path).stat().st_size < SMALL]


def asked(folder: Path, case: Case) -> Question | None:
    """Return what a client asks with the template, None where it cannot be read."""
    files = Files(folder)
    try:
        template = files.template(case.path)
    except Invalid:
        return None
    registry = dict.fromkeys(case.types, "OS::Heat::None")
    environment = {"parameters": case.parameters, "resource_registry": registry}
    return without_custom_constraints(template), environment, files.texts


def test_a_changed_template_is_refused_when_heat_refuses_it(
    heat: Heat, folder: Path, sources: list[Case]
) -> None:
    @cache
    def sound(index: int) -> Question | None:
        question = asked(folder, sources[index])
        is_sound = question is not None and heat.ask("validated", *question).value
        return question if is_sound else None

    @cases
    @given(st.integers(0, len(sources) - 1), st.randoms(use_true_random=False))
    def run(index: int, random: Random) -> None:
        question = sound(index)
        assume(question is not None)
        assert question is not None
        template, environment, files = question
        template = changed(template, random)
        theirs = heat.ask("validated", template, environment, files)
        assume(not any(words in theirs.refused for words in OF_THE_CLOUD))
        ours = stoker("validated", template, environment, files)
        assume(not any(words in ours.refused for words in LATER))
        if not has_spoilt_output(heat, (template, environment, files), theirs, ours):
            agree(heat, "validated", template, environment, files)

    run()


def has_spoilt_output(heat: Heat, question: Question, theirs: Answer, ours: Answer) -> bool:
    """Tell whether an output that can never have a value makes the difference.

    That has a row in docs/differences.md; Heat says so of the output once it is asked for it,
    but that types made of nothing have attributes of any name, in which no path is followed.
    """
    told = ours.refused.splitlines()
    if theirs.refused or not all(each.startswith("outputs.") for each in told):
        return False
    return all(map(OF_ATTRIBUTES.search, told)) or bool(heat.ask("outputs", *question).refused)
