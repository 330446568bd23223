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
"""Tests of the API have the first and the last; the second is what nothing says on purpose
(tests/lang/test_codes.py)."""
OF_THE_WHOLE = {Code.MALFORMED, Code.UNKNOWN_CODE}
"""What is wrong with a text, or a comment in it, has no path."""


def found(files: Files, folder: Path) -> list[Problem]:
    """Return what lint says of the files, or an update where the page gives a stack before it."""
    if "before.yaml" in files:
        return updated(files)
    for name, text in files.items():
        (folder / name).write_text(text)
    environments = tuple(str(folder / each) for each in files if each == "environment.yaml")
    template = str(folder / "template.yaml")
    return list(lint([template], environments, frozenset(), Checking()).problems)


def is_in_its_line(problem: Problem, files: Files) -> bool:
    """Tell whether a problem stands where there is something in one of the files."""
    if problem.place is None:
        return False
    lines = files[Path(problem.place.file).name].splitlines()
    return bool(lines[problem.place.line - 1][problem.place.column - 1 :].strip())


def updated(files: Files) -> list[Problem]:
    template = read(files["template.yaml"], "template.yaml")
    before, after = (read_environment(files[f"{n}.yaml"]) for n in ("before", "environment"))
    inputs = Inputs("s", "i", "p", after, previous=before.parameters)
    return assess(template, inputs)[1]


def test_every_code_has_one_entry_and_they_are_in_order() -> None:
    assert [each.code for each in ENTRIES] == sorted(set(Code) - NOT_OF_TEMPLATES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_wrong_example_has_the_problem_and_the_right_one_has_none(
    entry: Entry, tmp_path: Path
) -> None:
    wrong = found(entry.wrong, tmp_path)
    assert entry.code in {each.code for each in wrong}
    for each in wrong:
        assert each.at or each.code in OF_THE_WHOLE, each
        assert is_in_its_line(each, entry.wrong), each
    for left in tmp_path.iterdir():
        left.unlink()
    assert found(entry.right, tmp_path) == []
