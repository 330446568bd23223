"""Lists of images: who sees which, filters with operators, order, pages.

Rule: pure over the images and the query.
"""

from __future__ import annotations

import operator
from typing import Any

from stoker.devcloud.exchange import Request
from stoker.devcloud.glance.image import READ_ONLY, SETTABLE, member
from stoker.devcloud.listing import next_query, ordered, paged, text
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import Doc

DEFAULT_LIMIT = 25
_NOT_FIELDS = frozenset(
    {"limit", "marker", "sort", "sort_key", "sort_dir", "tag", "member_status", "visibility"}
)
_SORTABLE = frozenset({*SETTABLE, *READ_ONLY, "id"} - {"tags", "self", "file", "schema"})
_COMPARISONS = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "eq": operator.eq,
    "neq": operator.ne,
}


def chosen(request: Request, images: list[Doc]) -> list[Doc]:
    """Keep the images that a list shows: visible to the caller, and matching every filter."""
    wanted = {n: v[-1] for n, v in request.query.items() if n not in _NOT_FIELDS}
    wanted.setdefault("os_hidden", "false")
    tags = set(request.query.get("tag", ()))
    return [
        image
        for image in images
        if _is_listed(request, image)
        and tags <= set(image["tags"])
        and all(_matches(image, name, value) for name, value in wanted.items())
    ]


def _is_listed(request: Request, image: Doc) -> bool:
    wanted = request.first("visibility")
    if wanted not in ("", "all", image["visibility"]):
        return False
    mine = request.caller.is_admin or image["owner"] == request.caller.project_id
    if image["visibility"] == "community" and not wanted:
        return bool(image["owner"] == request.caller.project_id)
    if mine or image["visibility"] in ("public", "community"):
        return True
    held = member(request.state, image, request.caller.project_id)
    status = request.first("member_status") or "accepted"
    return held is not None and status in ("all", held["status"])


def _matches(image: Doc, name: str, value: str) -> bool:
    if name in ("size_min", "size_max"):
        if not value.isdigit():
            raise Refusal(400, f"{name} must be an integer")
        size = int(image["size"] or 0)
        return size >= int(value) if name == "size_min" else size <= int(value)
    held = text(image.get(name))
    word, colon, operand = value.partition(":")
    if colon and word == "in":
        return held in [each.strip('"') for each in operand.split(",")]
    if colon and word in _COMPARISONS and name in ("created_at", "updated_at"):
        return bool(_COMPARISONS[word](held, operand))
    is_flag = isinstance(image.get(name), bool)
    return bool(held == (value.lower() if is_flag else value))


def page(request: Request, images: list[Doc]) -> tuple[list[Doc], str | None]:
    """Order images and give the page asked for, and the query string of the next one."""
    keys, directions = _order(request)
    wanted = ordered(images, keys, directions)
    if not request.first("limit"):
        request.query["limit"] = [str(DEFAULT_LIMIT)]
    found, more = paged(wanted, request)
    return found, next_query(request, found[-1]["id"]) if more and found else None


def _order(request: Request) -> tuple[list[str], list[str]]:
    pairs: list[Any] = [part.partition(":") for part in request.first("sort").split(",") if part]
    keys = [key for key, _, _ in pairs] or list(request.query.get("sort_key", ()))
    directions = [way or "desc" for _, _, way in pairs] or list(request.query.get("sort_dir", ()))
    if any(way not in ("asc", "desc") for way in directions):
        raise Refusal(400, "Invalid sort direction: it must be asc or desc")
    for key in keys:
        if key not in _SORTABLE:
            raise Refusal(400, f"Invalid sort key: {key}")
    keys = [*(keys or ["created_at"]), "id"]
    last = directions[-1] if directions else "desc"
    return keys, [*directions, *[last] * (len(keys) - len(directions))]
