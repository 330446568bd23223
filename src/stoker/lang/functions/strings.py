"""str_replace (plain, strict, very strict), list_join and str_split: making texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from stoker.lang.functions.arguments import (
    a_list,
    check_size,
    fields,
    items,
    joined,
    json_text,
    or_null,
    shown,
    text,
    whole_number,
    wrong,
)
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open

Text = Callable[[Any], str]

_REPLACE: Final = "str_replace: {template: text, params: {key: value, …}}"
_JOIN: Final = "list_join: [delimiter, list, …]"


@function("str_replace", _REPLACE, since="2013-05-23", until="2015-10-15", makes=True, written=True)
def str_replace_scalars(args: Any) -> str:
    """Put scalars in place of the keys."""
    return _replace(args, _scalar_text)[0]


@function("str_replace", _REPLACE, since="2015-10-15", makes=True, written=True)
def str_replace(args: Any) -> str:
    """Put values in place of the keys; maps and lists go in as JSON."""
    return _replace(args, _any_text)[0]


@function(
    "str_replace_strict",
    "str_replace_strict" + _REPLACE[11:],
    since="2017-02-24",
    makes=True,
    written=True,
)
def str_replace_strict(args: Any) -> str:
    """As str_replace; every key must occur."""
    replaced, unused = _replace(args, _any_text)
    if unused:
        raise wrong(f"the template does not hold {', '.join(map(shown, unused))}")
    return replaced


@function(
    "str_replace_vstrict",
    "str_replace_vstrict" + _REPLACE[11:],
    since="2017-09-01",
    makes=True,
    written=True,
)
def str_replace_vstrict(args: Any) -> str:
    """As str_replace_strict; no value may be null or empty."""
    params = _params(args)[1]
    empty = [key for key, value in params.items() if value is None or value in ("", [], {})]
    if empty:
        raise wrong(f"the value of {', '.join(map(shown, empty))} is empty")
    return str_replace_strict(args)


def _params(args: Any) -> tuple[str, dict[str, Any]]:
    given = fields(args, ("template", "params"), others=True)
    params = {} if is_open(given["params"]) else given["params"]
    if not isinstance(params, dict):
        raise wrong(f"params must be a map, not {shown(params)}")
    if "" in params:
        raise wrong("an empty text cannot be replaced; remove the empty key in params")
    return text(given["template"], "the template"), params


def _replace(args: Any, as_text: Text) -> tuple[str, list[str]]:
    """Return the text, and the keys that it did not hold.

    One pass, longest key first: what was put in is never looked at again.
    """
    template, params = _params(args)
    texts = {key: as_text(value) for key, value in params.items()}
    if is_open(template):
        return "", []
    if len(texts) <= 1:
        return _replaced(template, texts)
    used: set[str] = set()
    size = len(template)

    def put(match: re.Match[str]) -> str:
        nonlocal size
        text_ = texts[str(match[0])]
        used.add(match[0])
        size += len(text_)
        check_size(size)
        return text_

    keys = sorted(texts, key=lambda key: (-len(key), key))
    replaced = re.sub("|".join(map(re.escape, keys)), put, template)
    return str(replaced), [key for key in texts if key not in used]


def _replaced(template: str, texts: dict[str, str]) -> tuple[str, list[str]]:
    """Return what :func:`_replace` does where there is one key at most."""
    for key, text_ in texts.items():
        count = template.count(key)
        if not count:
            return template, [key]
        check_size(len(template) + count * len(text_))
        return template.replace(key, text_), []
    return template, []


def _scalar_text(value: Any) -> str:
    if isinstance(value, dict | list):
        raise wrong(f"this cannot put in {shown(value)}, only scalars; from 2015-10-15 on it can")
    return "" if value is None or is_open(value) else str(value)


def _any_text(value: Any) -> str:
    if type(value) is str:
        return value
    return json_text(value) if isinstance(value, dict | list) else _scalar_text(value)


@function(
    "list_join",
    "list_join: [delimiter, list]",
    since="2013-05-23",
    until="2015-10-15",
    makes=True,
    written=True,
)
def list_join_one(args: Any) -> str:
    """``list_join: [", ", [a, b]]`` is ``"a, b"``."""
    delimiter, each = items(args, 2, 2)
    texts = list(map(_only_text, a_list(each, "what is joined")))
    return joined(text(delimiter, "the delimiter"), texts)


@function("list_join", _JOIN, since="2015-10-15", makes=True, written=True)
def list_join(args: Any) -> str:
    """``list_join: [", ", [a, b], [c]]`` is ``"a, b, c"``; a null or empty list is skipped."""
    delimiter, *lists = items(args, 2)
    return joined(text(delimiter, "the delimiter"), list(map(_item_text, _items_of(lists))))


def _items_of(lists: list[Any]) -> Iterator[Any]:
    for each in lists:
        yield from a_list(or_null(each), "what is joined")


def _only_text(item: Any) -> str:
    if item is None or is_open(item):
        return ""
    if not isinstance(item, str):
        raise wrong(f"this cannot join {shown(item)}, only text; put quotes around a number")
    return item


def _item_text(item: Any) -> str:
    return json_text(item) if isinstance(item, dict | list) else _only_text(item)


@function("str_split", "str_split: [delimiter, text, index (optional)]", since="2015-10-15")
def str_split(args: Any) -> Any:
    """``str_split: [",", "a,b"]`` is ``[a, b]``; with an index, that item of it.

    A null delimiter splits at white space.
    """
    delimiter, whole, *index = items(args, 2, 3)
    if whole is None or is_open(whole):
        return None  # null is not split, so what it would be split by may be anything
    if delimiter is not None and text(delimiter, "the delimiter") == "":
        raise wrong("the delimiter must not be empty")
    text(whole, "what is split")
    if is_open(delimiter):
        return [whole_number(each, "the index") for each in index]
    parts = whole.split(delimiter)
    return parts[_index(index[0], len(parts))] if index else parts


def _index(value: Any, count: int) -> int:
    index = whole_number(value, "the index")
    if not -count <= index < count:
        raise wrong(f"the index {shown(index)} is not within the {count} parts (0 to {count - 1})")
    return index
