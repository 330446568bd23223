"""Reading and checking are faster than in real Heat, on the corpus' largest templates."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
AT_LEAST = 1.5
"""Times faster. 2.7 were seen; half of our time is libyaml's, which Heat reads with too."""


def asked(folder: Path, case: Case) -> tuple[str, dict[str, Any], dict[str, str]]:
    files = Files(folder)
    text = yaml.safe_dump(files.template(case.path), sort_keys=False)
    registry = dict.fromkeys(case.types, "OS::Heat::None")
    environment = {"parameters": case.parameters, "resource_registry": registry}
    return text, environment, files.texts


def largest(corpus: Path, preparation: Preparation) -> Iterator[Case]:
    """Yield the largest templates that both take."""
    folder = corpus / "templates"
    taken = {each.path: each for each in previews(corpus) if not each.kind}
    for path in sorted(taken, key=lambda each: -(folder / each).stat().st_size):
        if not problems(preparation, folder, taken[path]):
            yield taken[path]


def test_the_largest_templates_are_checked_faster(shared: Path, heat: Heat) -> None:
    preparation = Preparation(Index(), Settings(max_resources_per_stack=-1))
    theirs = ours = 0.0
    compared = 0
    for case in largest(shared / "corpus", preparation):
        text, environment, files = asked(shared / "corpus" / "templates", case)
        answer = heat.ask("seconds", text, environment, files)
        if answer.value is None:
            continue
        theirs += float(answer.value)
        start = time.process_time()
        documents = Documents(text, read_environment(environment), files=files)
        preparation.prepare(documents, StackInfo("the-id", "s", "p"))
        ours += time.process_time() - start
        compared += 1
        if compared == COUNT:
            break
    assert compared == COUNT
    assert ours * AT_LEAST <= theirs, (
        f"{theirs / ours:.1f} times faster: {ours} s against {theirs} s"
    )
