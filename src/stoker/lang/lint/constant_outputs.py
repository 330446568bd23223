"""An output that says nothing of the stack: neither a function nor a condition stands in it."""

from __future__ import annotations

from collections.abc import Iterator

from stoker.errors import Code, Problem
from stoker.lang.evaluation import has_call
from stoker.lang.lint.subject import Subject


def constant_outputs(subject: Subject) -> Iterator[Problem]:
    """Give them."""
    for name, output in subject.template.outputs.items():
        if not has_call(output.value) and output.condition is True:
            text = f"the output {name} refers to nothing: it is the same for every stack"
            yield subject.warning(text, ("outputs", name, "value"), Code.CONSTANT_OUTPUT)
