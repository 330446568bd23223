"""Templates from the field, previewed with their types mapped to nothing, as real Heat took them.

Rule: what Heat said of a cloud that was not there does not count, nor what names a type or a way
to signal that is not built yet; whatever else differs is listed, with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from stoker.app.yaql import provide_yaql
from stoker.engine.goals import Documents, Preparation
from stoker.engine.settings import Settings
from stoker.errors import Invalid, Kind, LimitExceeded, Problem
from stoker.lang.environment import Environment
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo
from tests.agreement.corpus import Case, Files, previews, without_custom_constraints

DIFFERING = {"preview-none-mapped openstack+heat/etc/heat/templates/AWS_RDS_DBInstance.yaml"}
"""A made-up parameter names no key of a mapping; Heat evaluates nothing that goes to no type."""

OF_THE_CLOUD = ("endpoint for network service", "choosing an endpoint")
"""Words of verdicts that hang on the services that Heat had not."""

LATER = ("needs a user of the stack's own",)
SAME = {
    "CircularDependencyException": Kind.CIRCULAR,
    "InvalidTemplateReference": Kind.REFERENCE,
    "InvalidTemplateVersion": Kind.VERSION,
    "UserParameterMissing": Kind.PARAMETER_MISSING,
}
"""Which kind of problem is told where Heat has a fault of its own for it."""


@pytest.fixture(scope="module")
def known_types(shared: Path) -> frozenset[str]:
    return frozenset(json.loads((shared / "facts" / "resource_types.json").read_text())["types"])


def hangs_on_the_cloud(case: Case) -> bool:
    words = any(each in case.text for each in OF_THE_CLOUD)
    return case.kind in ("RemoteError", "Forbidden") or words


def problems(preparation: Preparation, folder: Path, case: Case) -> Sequence[Problem]:
    files = Files(folder)
    registry = dict.fromkeys(case.types, "OS::Heat::None")
    try:
        template: Any = files.template(case.path)
        if case.name.endswith("noconstraint"):
            template = without_custom_constraints(template)
        documents = Documents(
            template, Environment(registry=registry), case.parameters, files.texts
        )
        preparation.prepare(documents, StackInfo("the-id", "s", "p"))
    except Invalid as error:
        return error.problems
    except LimitExceeded as error:
        return [Problem(str(error))]
    return []


def is_later(problem: Problem, known_types: frozenset[str]) -> bool:
    """Tell whether it is told of what Heat has and we do not have yet."""
    missing = problem.text.removeprefix("Unknown resource Type : ") in known_types
    return missing or any(words in problem.text for words in LATER)


def agrees(case: Case, found: Sequence[Problem]) -> bool:
    if not case.kind or not found:
        return bool(case.kind) == bool(found)
    kind = SAME.get(case.kind)
    return kind is None or kind in {each.kind for each in found}


def test_previews_end_as_in_real_heat(shared: Path, known_types: frozenset[str]) -> None:
    provide_yaql()
    preparation = Preparation(Index(), Settings(max_resources_per_stack=-1))
    compared, differing = 0, set()
    for case in previews(shared / "corpus"):
        if hangs_on_the_cloud(case):
            continue
        found = problems(preparation, shared / "corpus" / "templates", case)
        if any(is_later(each, known_types) for each in found):
            continue
        compared += 1
        if not agrees(case, found):
            differing.add(case.label)
    assert differing == DIFFERING
    assert compared > 800
