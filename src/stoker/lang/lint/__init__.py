"""Rules that only people ask for: what is not wrong enough to refuse, or what Heat lets pass.

Rule: a rule is one small file with one function of a :class:`Subject` that gives problems; this is
the list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from stoker.errors import Problem
from stoker.lang.lint.constant_outputs import constant_outputs
from stoker.lang.lint.duplicate_keys import duplicate_keys
from stoker.lang.lint.ignored_keys import ignored_keys
from stoker.lang.lint.keys_not_text import keys_not_text
from stoker.lang.lint.open_branches import open_branches
from stoker.lang.lint.subject import Subject
from stoker.lang.lint.unused_conditions import unused_conditions
from stoker.lang.lint.unused_parameters import unused_parameters

__all__ = ["RULES", "Subject", "findings"]

Rule = Callable[[Subject], Iterable[Problem]]

RULES: Final[tuple[Rule, ...]] = (
    duplicate_keys,
    keys_not_text,
    ignored_keys,
    unused_parameters,
    unused_conditions,
    constant_outputs,
    open_branches,
)


def findings(subject: Subject) -> Iterator[Problem]:
    """Give what all rules find."""
    for rule in RULES:
        yield from rule(subject)
