"""Lists as OpenStack gives them: filtered by fields, ordered, a page at a time.

Rule: pure functions over documents; what cannot be indexed is filtered here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from stoker.devcloud.exchange import Request
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import Doc

NOT_FILTERS = frozenset({"limit", "marker", "sort_key", "sort_dir", "sort", "page_reverse"})
"""Query parameters that never are a field's name."""


def text(value: Any) -> str:
    """Write a value as a query string does: booleans and None in lower case."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def filtered(
    docs: Iterable[Doc], query: Mapping[str, Sequence[str]], fields: Collection[str]
) -> list[Doc]:
    """Keep documents that match every named field; a repeated field means any of its values.

    Of the query only ``fields`` count; booleans compare without regard to case.
    """
    wanted = {name: set(values) for name, values in query.items() if name in fields}
    return [doc for doc in docs if all(_matches(doc.get(n), v) for n, v in wanted.items())]


def _matches(value: Any, wanted: set[str]) -> bool:
    if isinstance(value, bool):
        return text(value) in {each.lower() for each in wanted}
    if isinstance(value, list):
        return bool({text(each) for each in value} & wanted)
    return text(value) in wanted


def ordered(docs: Sequence[Doc], keys: Sequence[str], directions: Sequence[str] = ()) -> list[Doc]:
    """Sort by several keys, the first counting most; a direction that is missing is ``asc``."""
    result = list(docs)
    pairs = [(key, directions[n] if n < len(directions) else "asc") for n, key in enumerate(keys)]
    for key, direction in reversed(pairs):
        result.sort(key=lambda doc: _rank(doc.get(key)), reverse=direction.startswith("d"))
    return result


def _rank(value: Any) -> tuple[int, float, str]:
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, int | float):
        return (1, float(value), "")
    return (2, 0.0, str(value))


def paged(docs: Sequence[Doc], request: Request, *, key: str = "id") -> tuple[list[Doc], bool]:
    """Give the page after ``marker``, at most ``limit`` long, and whether there is more.

    Raises:
        Refusal: 400, the marker is unknown or the limit no number.
    """
    start = 0
    marker = request.first("marker")
    if marker:
        places = [n for n, doc in enumerate(docs) if str(doc[key]) == marker]
        if not places:
            raise Refusal(400, f"marker [{marker}] not found")
        start = places[0] + 1
    given = request.first("limit")
    if not given:
        return list(docs[start:]), False
    if not given.isdigit():
        raise Refusal(400, f"limit param must be an integer: {given}")
    end = start + int(given)
    return list(docs[start:end]), end < len(docs) and int(given) > 0


def next_query(request: Request, marker: str) -> str:
    """Give the query string of the next page."""
    kept = [(n, v) for n, values in request.query.items() if n != "marker" for v in values]
    return urlencode([*kept, ("marker", marker)])
