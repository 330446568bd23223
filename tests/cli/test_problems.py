"""Every code is explained with two examples, and both are what the page says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoker.app.checking import Checking
from stoker.cli.lint import lint
from stoker.errors import Code, Problem
from stoker.lang.environment import read_environment
from stoker.lang.stack import Inputs, assess
from stoker.lang.template import read
from tests.cli.documented import Entry, Files, entries

ENTRIES = entries(Path(__file__).resolve().parents[2])
NOT_OF_TEMPLATES = {Code.REQUEST, Code.INVALID, Code.STACK_ELSEWHERE}


def found(files: Files, folder: Path) -> list[Problem]:
    """Return what lint says of the files, or an update where the page gives a stack before it."""
    if "before.yaml" in files:
        return updated(files)
    for name, text in files.items():
        (folder / name).write_text(text)
    environments = tuple(str(folder / each) for each in files if each == "environment.yaml")
    template = str(folder / "template.yaml")
    return list(lint([template], environments, frozenset(), Checking()).problems)


def updated(files: Files) -> list[Problem]:
    template = read(files["template.yaml"])
    before, after = (read_environment(files[f"{n}.yaml"]) for n in ("before", "environment"))
    inputs = Inputs("s", "i", "p", after, previous=before.parameters)
    return assess(template, inputs)[1]


def test_every_code_has_one_entry_and_they_are_in_order() -> None:
    assert [each.code for each in ENTRIES] == sorted(set(Code) - NOT_OF_TEMPLATES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_wrong_example_has_the_problem_and_the_right_one_has_none(
    entry: Entry, tmp_path: Path
) -> None:
    assert entry.code in {each.code for each in found(entry.wrong, tmp_path)}
    for left in tmp_path.iterdir():
        left.unlink()
    assert found(entry.right, tmp_path) == []
