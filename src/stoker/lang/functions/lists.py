"""list_concat, list_concat_unique, filter and contains: functions over lists."""

from __future__ import annotations

from typing import Any

from stoker.lang.functions.arguments import a_list, items, or_null, shown, text, wrong
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open


@function("merge_list", "merge_list: [list, list, …]", since="2017-02-24")
@function("list_concat", "list_concat: [list, list, …]", since="2017-09-01")
def list_concat(args: Any) -> list[Any]:
    """``list_concat: [[a], [b]]`` is ``[a, b]``; a null list is skipped."""
    return [item for each in items(args, 0) for item in a_list(each, "what is put together")]


@function("list_concat_unique", "list_concat_unique: [list, list, …]", since="2017-09-01")
def list_concat_unique(args: Any) -> list[Any]:
    """As list_concat, without what came before already."""
    return _without([], list_concat(args), once=True)


@function("filter", "filter: [values to leave out, list]", since="2017-02-24", written=True)
def filter_(args: Any) -> Any:
    """``filter: [[a], [a, b]]`` is ``[b]``."""
    values, sequence = items(args, 2, 2)
    if or_null(sequence) is None or is_open(sequence):
        return sequence  # nothing is looked for in an empty one, so the values may be anything
    return _without(
        a_list(or_null(values), "the first argument"), a_list(sequence, "the second argument")
    )


def _without(values: list[Any], sequence: list[Any], *, once: bool = False) -> list[Any]:
    """Return ``sequence`` without ``values`` and, with ``once``, each item one time."""
    texts = {value for value in values if isinstance(value, str)}
    others = [value for value in values if not isinstance(value, str)]
    kept = []
    for item in sequence:
        if item in texts if isinstance(item, str) else item in others:
            continue
        kept.append(item)
        if once:
            texts.add(item) if isinstance(item, str) else others.append(item)
    return kept


@function(
    "contains",
    "contains: [value, list or text]",
    since="2017-02-24",
    in_conditions="2017-02-24",
    written=True,
)
def contains(args: Any) -> bool:
    """Tell whether the value is in the list, or in the text."""
    value, sequence = items(args, 2, 2)
    if is_open(sequence):
        return False
    match sequence:
        case list():
            return value in sequence
        case str():
            wanted = text(value, "what is looked for in a text")
            return not is_open(wanted) and wanted in sequence
        case _:
            raise wrong(f"this can look into a list or a text, not into {shown(sequence)}")
