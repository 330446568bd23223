"""A named condition that nothing hangs on."""

from __future__ import annotations

from collections.abc import Iterator

from stoker.errors import Code, Problem
from stoker.lang.lint.subject import Subject


def unused_conditions(subject: Subject) -> Iterator[Problem]:
    """Give them."""
    used = {call.args for _, call in subject.calls() if call.name == "condition"}
    for name in subject.template.conditions:
        if name not in used:
            text = f"nothing hangs on the condition {name}; remove it"
            yield subject.warning(text, ("conditions", name), Code.UNUSED_CONDITION)
