"""Whoever makes a problem says which rule is broken: by a code, or by a kind that implies one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoker.errors import Code, Kind, Problem

PACKAGES = ("lang", "sdk", "plan", "resources", "cli", "engine", "api", "classic", "clouds")
PLAIN = frozenset(each.name for each in Kind if Problem("", kind=each).code is Code.INVALID)
"""The kinds that imply no code."""


def makers(root: Path) -> Iterator[tuple[str, ast.Call]]:
    """Give every call that makes a problem, with its file."""
    source = root / "src" / "stoker"
    for package in PACKAGES:
        for path in sorted((source / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                names = ("Problem", "fault") if package == "lang" else ("Problem",)
                if isinstance(node, ast.Call) and name_of(node) in names:
                    yield str(path.relative_to(source)), node


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def says(call: ast.Call) -> bool:
    """Tell whether a call names a kind that implies a code, or a code itself."""
    given = [*call.args, *(each.value for each in call.keywords)]
    if any(each.arg in ("code", None) for each in call.keywords):
        return True
    words = {ast.unparse(each) for each in given}
    named = {word.removeprefix("Kind.") for word in words if word.startswith("Kind.")}
    codes = any(word.startswith("Code.") for word in words)
    return codes or bool(named - PLAIN) or bool({"kind", "code"} & words)


def test_only_one_kind_implies_no_code() -> None:
    assert sorted(PLAIN) == ["VALIDATION"]


def test_every_problem_is_made_with_a_code(root: Path) -> None:
    found = list(makers(root))
    silent = {(file, call.lineno) for file, call in found if not says(call)}
    assert len(found) > 100
    assert silent == set()


@pytest.mark.parametrize("code", list(Code))
def test_a_code_is_a_word_that_can_stand_in_a_comment(code: Code) -> None:
    assert code.value == code.name.lower().replace("_", "-")


def test_a_problem_that_says_its_code_keeps_it_whatever_its_kind() -> None:
    assert Problem("", kind=Kind.TYPE, code=Code.FACADE).code is Code.FACADE
    assert Problem("", kind=Kind.TYPE).code is Code.UNKNOWN_TYPE
