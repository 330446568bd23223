"""Reading and checking are faster than in real Heat, on the corpus' largest templates.

Both are asked for all templates once before anything is measured: what either loads or starts when
it is first used (plugins, yaql) is no part of a template's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from stoker.engine.goals import Documents, Preparation
from stoker.engine.settings import Settings
from stoker.lang.environment import read_environment
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo
from tests.agreement.corpus import Case, Files, previews
from tests.agreement.language.asked import Heat
from tests.agreement.test_previews import problems

COUNT = 50
TEXT, SENT = 1.7, 1.4
"""Times faster. 3.9 and 5.3 were seen; of text, half of our time is the parser's events."""
ROUNDS = 3
"""Of as many, a template's shortest time counts: others use the machine."""


@dataclass(frozen=True)
class Asked:
    """What both are asked to validate."""

    template: dict[str, Any]
    environment: dict[str, Any]
    files: dict[str, str]


def asked(folder: Path, case: Case) -> Asked:
    files = Files(folder)
    template = files.template(case.path)
    registry = dict.fromkeys(case.types, "OS::Heat::None")
    environment = {"parameters": case.parameters, "resource_registry": registry}
    return Asked(template, environment, files.texts)


def largest(corpus: Path, preparation: Preparation, heat: Heat) -> Iterator[Asked]:
    """Yield the largest templates that both take."""
    folder = corpus / "templates"
    taken = {each.path: each for each in previews(corpus) if not each.kind}
    for path in sorted(taken, key=lambda each: -(folder / each).stat().st_size):
        if problems(preparation, folder, taken[path]):
            continue
        found = asked(folder, taken[path])
        if heat.ask("seconds", found.template, found.environment, found.files).value is not None:
            yield found


def as_text(template: dict[str, Any]) -> str:
    return yaml.safe_dump(template, sort_keys=False)


def as_sent(template: dict[str, Any]) -> dict[str, Any]:
    """As clients send it: within the JSON of the request, which the server has read already."""
    return template


def ours(preparation: Preparation, template: Any, each: Asked) -> float:
    start = time.process_time()
    documents = Documents(template, read_environment(each.environment), files=each.files)
    preparation.prepare(documents, StackInfo("the-id", "s", "p"))
    return time.process_time() - start


def theirs(heat: Heat, template: Any, each: Asked) -> float:
    said = heat.ask("seconds", template, each.environment, each.files).value
    assert said is not None
    return float(said)


@pytest.fixture(scope="module")
def preparation() -> Preparation:
    return Preparation(Index(), Settings(max_resources_per_stack=-1))


@pytest.fixture(scope="module")
def templates(shared: Path, heat: Heat, preparation: Preparation) -> list[Asked]:
    found = largest(shared / "corpus", preparation, heat)
    first = [each for each, _ in zip(found, range(COUNT), strict=False)]
    assert len(first) == COUNT
    return first


@pytest.mark.parametrize(("form", "at_least"), [(as_text, TEXT), (as_sent, SENT)])
def test_the_largest_templates_are_checked_faster(
    form: Callable[[dict[str, Any]], Any],
    at_least: float,
    heat: Heat,
    preparation: Preparation,
    templates: list[Asked],
) -> None:
    we = they = 0.0
    for each in templates:
        given = form(each.template)
        they += min(theirs(heat, given, each) for _ in range(ROUNDS))
        we += min(ours(preparation, given, each) for _ in range(ROUNDS))
    found = f"{they / we:.1f} times faster: {we:.3f} s against {they:.3f} s"
    assert we * at_least <= they, found
