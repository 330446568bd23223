"""Lists as Cinder gives them: filters, order, pages with links.

The rule: what a member may not filter by is refused from 3.31 on and passed over before; without
an order the newest comes first.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem, quota
from stoker.devcloud.cinder.ask import ROOT, Ask
from stoker.devcloud.listing import next_query, ordered, text
from stoker.devcloud.listing import paged as page_of
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from stoker.devcloud.state import Doc

_MOST = 1000
_REFUSED, _LIKE = 31, 34
_NOT_FILTERS = frozenset(
    {"limit", "marker", "offset", "sort", "sort_key", "sort_dir", "all_tenants", "with_count"}
)
_WORDS = {"display_name": "name", "display_description": "description", "tenant_id": "project_id"}


def filters(ask: Ask, allowed: Collection[str]) -> dict[str, str]:
    """Give the filters of a query: names of fields, ``~`` behind them where it is ``like``."""
    found: dict[str, str] = {}
    for name, values in ask.request.query.items():
        plain = name.removesuffix("~")
        if plain in _NOT_FILTERS:
            continue
        if plain in allowed or ask.caller.is_admin:
            found[_WORDS.get(name, name)] = values[-1]
        elif ask.since(_REFUSED):
            raise problem.bad_request(f"Invalid filters {name} are found in query options.")
    return found


def matches(doc: Doc, wanted: dict[str, str], *, has_like: bool = True) -> bool:
    """Tell whether a thing has every value that was asked for."""
    return all(_matches(doc, name, value, has_like=has_like) for name, value in wanted.items())


def _matches(doc: Doc, name: str, value: str, *, has_like: bool) -> bool:
    if name == "metadata":
        held = doc["metadata"].items()
        return all(pair in held for pair in metadata_of(value).items())
    if name.endswith("~"):
        return has_like and value.lower() in text(doc.get(name[:-1])).lower()
    is_flag = isinstance(doc.get(name), bool)
    return text(doc.get(name)) == (value.lower() if is_flag else value)


def metadata_of(value: str) -> dict[str, str]:
    """Read a metadata filter, which clients write as JSON or as Python does."""
    try:
        wanted = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        wanted = None
    if not isinstance(wanted, dict):
        raise problem.invalid_input(f"metadata filter {value} is no dictionary")
    return {str(name): text for name, text in wanted.items()}


def listed(ask: Ask, docs: Sequence[Doc], path: str, key: str) -> tuple[list[Doc], Doc]:
    """Order things and give a page of them, with the links to the next one."""
    keys, directions = _order(ask)
    newest = list(reversed(docs))
    return paged(ask, ordered(newest, keys, directions) if keys else newest, path, key)


def _order(ask: Ask) -> tuple[list[str], list[str]]:
    pairs = [part.partition(":") for part in ask.request.first("sort").split(",") if part]
    keys = [key for key, _, _ in pairs] or list(ask.request.query.get("sort_key", ()))
    ways = [way or "desc" for _, _, way in pairs] or list(ask.request.query.get("sort_dir", ()))
    if any(way not in ("asc", "desc") for way in ways):
        raise problem.invalid_input("Unknown sort direction, must be one of: asc, desc.")
    return [_WORDS.get(key, key) for key in keys], [*ways, *["desc"] * (len(keys) - len(ways))]


def paged(ask: Ask, docs: Sequence[Doc], path: str, key: str) -> tuple[list[Doc], Doc]:
    """Give a page of things in their order, with the links to the next one."""
    marker, limit = ask.request.first("marker"), ask.request.first("limit")
    if marker and not any(doc["id"] == marker for doc in docs):
        raise Refusal(404, f"marker [{marker}] could not be found.")
    if limit and not limit.isdigit():
        raise problem.invalid_input(f"limit param must be an integer: {limit}")
    if not limit or int(limit) > _MOST:
        ask.request.query["limit"] = [str(_MOST)]
    found, more = page_of(docs[_offset(ask) :], ask.request)
    if not more or not found:
        return found, {}
    href = f"{ask.cloud.url}{ROOT}/{path}?{next_query(ask.request, found[-1]['id'])}"
    return found, {f"{key}_links": [{"rel": "next", "href": href}]}


def _offset(ask: Ask) -> int:
    given: Any = ask.request.first("offset", "0")
    if not given.isdigit():
        raise problem.invalid_input(f"offset param must be an integer: {given}")
    return int(given)


def owned(ask: Ask, kind: str, wanted: dict[str, str]) -> list[Doc]:
    """Give the things of the caller's project that match, or of all to an administrator's wish."""
    project: str | None = ask.caller.project_id
    if ask.caller.is_admin and ask.request.first("all_tenants").lower() in ("1", "true"):
        project = wanted.pop("project_id", None)
    where: dict[str, object] = {}
    if kind == quota.VOLUME and "metadata" in wanted:
        pairs = [f"{name}={held}" for name, held in metadata_of(wanted["metadata"]).items()]
        where = {"metadata": pairs[0]} if pairs else {}
    docs = ask.state.list(kind, project=project, name=wanted.get("name"), where=where)
    return [doc for doc in docs if matches(doc, wanted, has_like=ask.since(_LIKE))]
