"""A parameter that nothing in the template asks for."""

from __future__ import annotations

from collections.abc import Iterator

from stoker.errors import Code, Problem
from stoker.lang.lint.subject import Subject
from stoker.lang.syntax import Call


def unused_parameters(subject: Subject) -> Iterator[Problem]:
    """Give them; none where a parameter's name is computed, which may be that of any."""
    used = {_name(call) for _, call in subject.calls() if call.name == "get_param"}
    if None in used:
        return
    for name in subject.template.parameters:
        if name not in used:
            text = f"nothing uses the parameter {name}; remove it"
            yield subject.warning(text, ("parameters", name), Code.UNUSED_PARAMETER)


def _name(call: Call) -> str | None:
    name = call.args[0] if isinstance(call.args, list) and call.args else call.args
    return name if isinstance(name, str) else None
