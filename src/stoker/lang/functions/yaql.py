"""yaql: read, but not evaluated yet.

A yaql expression can run for long while nothing else in the process can; it has to run
apart, with limits on time and memory.
"""

from __future__ import annotations

from typing import Any, NoReturn

from stoker.lang.functions.arguments import fields, wrong
from stoker.lang.functions.registry import function


@function(
    "yaql", "yaql: {expression: text, data: map}", since="2016-10-14", in_conditions="2016-10-14"
)
def yaql(args: Any) -> NoReturn:
    """Refuse: there is no evaluator yet."""
    fields(args, ("expression", "data"))
    raise wrong("yaql is not supported yet; use the other functions to get at the value")
