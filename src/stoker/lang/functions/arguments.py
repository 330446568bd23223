"""Checks of arguments that many functions share.

Rule: what is wrong is said in terms of the template; the evaluator adds the function's
name, its form and the place. What is not known yet passes every check: no value that it may
have is refused before it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, cast

from stoker.errors import Bug, Code, Invalid, Kind, Problem
from stoker.lang import wording
from stoker.lang.syntax import is_open
from stoker.lang.wording import MASK, type_name

MAX_SIZE: Final = 8 * 2**20
"""How many characters one function may make; a list or a map, and each item, counts as 16."""
ITEM: Final = 16
_BEGIN: Final = "\x02"
_END: Final = "\x03"
_MARKED: Final = re.compile(f"{_BEGIN}[^{_END}]*{_END}", re.DOTALL)


def wrong(
    text: str, kind: Kind = Kind.VALIDATION, *, code: Code = Code.INVALID, hint: str = ""
) -> Invalid:
    """Return the error that says ``text`` of the call at hand."""
    return Invalid([Problem(text, kind=kind, code=code, hint=hint)])


def shown(value: Any, limit: int = 40) -> str:
    """Return ``value`` for a text, marked so that the evaluator can mask it."""
    return f"{_BEGIN}{wording.shown(value, limit)}{_END}"


def unmarked(text: str, *, mask: bool) -> str:
    """Return ``text`` with its marked values plain or, with ``mask``, hidden."""
    return _MARKED.sub(MASK, text) if mask else text.replace(_BEGIN, "").replace(_END, "")


def items(args: Any, least: int, most: int | None = None) -> list[Any]:
    """Return the arguments as a list of ``least`` to ``most`` (None: any number) items."""
    if not isinstance(args, list):
        raise wrong(f"this needs a list of arguments, not {type_name(args)}")
    if len(args) < least or (most is not None and len(args) > most):
        raise wrong(f"there are {len(args)} arguments, which is too {_few_or_many(args, least)}")
    return args


def _few_or_many(args: list[Any], least: int) -> str:
    return "few" if len(args) < least else "many"


def fields(
    args: Any, required: Iterable[str], optional: Iterable[str] = (), *, others: bool = False
) -> dict[str, Any]:
    """Return the arguments as a map with all ``required`` keys.

    No key is unknown, except for functions in which Heat lets ``others`` pass.
    """
    if not isinstance(args, dict):
        raise wrong(f"this needs a map of arguments, not {type_name(args)}")
    wanted = list(required)
    missing = [key for key in wanted if key not in args]
    if missing:
        raise wrong(f"the map of arguments lacks {', '.join(missing)}")
    unknown = [key for key in args if key not in wanted and key not in optional]
    if unknown and not others:
        raise wrong(f"the map of arguments does not know {shown(', '.join(unknown))}")
    return args


def text(value: Any, what: str) -> str:
    """Return ``value``, which must be text; ``what`` names it in the error."""
    if not (isinstance(value, str) or is_open(value)):
        raise wrong(f"{what} must be text, not {type_name(value)} ({shown(value)})")
    return cast(str, value)


def a_list(value: Any, what: str) -> list[Any]:
    """Return ``value``, which must be a list; null, and what is not known, is an empty one."""
    if value is None or is_open(value):
        return []
    if not isinstance(value, list):
        raise wrong(f"{what} must be a list, not {type_name(value)} ({shown(value)})")
    return value


def or_null(value: Any) -> Any:
    """Return null for what is empty, else ``value``."""
    return value if is_open(value) else value or None


def as_key(value: Any) -> str:
    """Return a text, number or boolean as JSON has it for the key of a map."""
    return json.dumps(value) if isinstance(value, bool) else str(value)


def whole_number(value: Any, what: str) -> int:
    """Return ``value`` as an integer; text may hold it. What is not known counts as 0."""
    if is_open(value):
        return 0
    try:
        return int(value)
    except (ValueError, TypeError):
        raise wrong(f"{what} must be a whole number, not {shown(value)}") from None


def a_map(value: Any, what: str) -> dict[str, Any]:
    """Return ``value``, which must be a map; null, and what is not known, is an empty one."""
    if value is None or is_open(value):
        return {}
    if not isinstance(value, dict):
        raise wrong(f"{what} must be a map, not {type_name(value)} ({shown(value)})")
    return value


def check_size(size: int) -> None:
    """Raise Invalid when a function would make more than it may."""
    if size > MAX_SIZE:
        raise wrong(f"the result is too large; at most {MAX_SIZE} characters can be made")


def size_of(value: Any) -> int:
    """Return how much ``value`` counts towards MAX_SIZE."""
    if isinstance(value, str):
        return ITEM + len(value)
    if isinstance(value, dict):
        return ITEM + sum(size_of(key) + size_of(each) for key, each in value.items())
    return ITEM + sum(map(size_of, value)) if isinstance(value, list) else ITEM


def joined(delimiter: str, texts: list[str]) -> str:
    """Return the texts with the delimiter between them."""
    if is_open(delimiter):
        return ""
    check_size(sum(map(len, texts)) + len(delimiter) * max(0, len(texts) - 1))
    return delimiter.join(texts)


def json_text(value: Any) -> str:
    """Return ``value`` as the JSON text that str_replace and list_join put in."""
    return json.dumps(value, sort_keys=True, default=_not_yet)


def _not_yet(value: Any) -> None:
    if not is_open(value):
        raise Bug(f"{type(value).__name__} is no value of a template")
