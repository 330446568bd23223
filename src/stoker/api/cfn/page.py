"""Parts of long lists: a token names where the next part begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stoker.errors import bad_request

if TYPE_CHECKING:
    from stoker.api.cfn.params import Params

T = TypeVar("T")
SIZE = 100


def token(params: Params) -> str | None:
    """Return the token that the client got with the part before."""
    return params.text("NextToken")


def page(found: Sequence[T], name: Callable[[T], str], size: int = SIZE) -> tuple[list[T], Any]:
    """Return a part of at most ``size`` and the token of the next, of a list one longer."""
    part = list(found[:size])
    return part, name(part[-1]) if len(found) > size else None


def slice_of(whole: Sequence[T], params: Params) -> tuple[list[T], Any]:
    """Return the part of a list that is there as a whole, and the token of the next."""
    said = token(params) or "0"
    if not (said.isascii() and said.isdecimal() and len(said) < 10):  # noqa: PLR2004 - a number
        raise bad_request(f"NextToken is none of ours: {said[:40]!r}")
    start = int(said)
    end = start + SIZE
    return list(whole[start:end]), str(end) if end < len(whole) else None
