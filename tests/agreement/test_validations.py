"""Templates from the field that real Heat refuses are refused.

Rule: a type that Heat had no service for does not count, nor a ValueError, which is Heat's own
fault. A parameter without a value is no fault in a validation: what hangs on it is open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stoker.app.yaql import provide_yaql
from stoker.engine.goals import Documents, Preparation
from stoker.engine.settings import Settings
from stoker.errors import Invalid, LimitExceeded, Problem
from stoker.lang.environment import read_environment
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo
from tests.agreement.corpus import Files

IGNORED = ("ResourceTypeUnavailable", "ValueError", "UserParameterMissing")


def refusals(corpus: Path) -> Iterator[dict[str, Any]]:
    for line in (corpus / "verdicts.jsonl").read_text().splitlines():
        said = json.loads(line)
        is_error = said["case"].startswith("validate") and said["verdict"] != "ok"
        if is_error and said["type"] not in IGNORED:
            yield said


def problems(preparation: Preparation, folder: Path, said: dict[str, Any]) -> Sequence[Problem]:
    files = Files(folder)
    try:
        environment = read_environment((folder / said["env"]).read_text() if "env" in said else {})
        documents = Documents(files.template(said["path"]), environment, files=files.texts)
        return preparation.assess(documents, StackInfo("the-id", "s", "p"), strict=False)[1]
    except Invalid as error:
        return error.problems
    except LimitExceeded as error:
        return [Problem(str(error))]


def test_what_heat_refuses_is_refused(shared: Path) -> None:
    provide_yaql()
    preparation = Preparation(Index(), Settings(max_resources_per_stack=-1))
    corpus = shared / "corpus"
    refused = list(refusals(corpus))
    taken = [
        each["path"] for each in refused if not problems(preparation, corpus / "templates", each)
    ]
    assert len(refused) > 130
    assert taken == []
