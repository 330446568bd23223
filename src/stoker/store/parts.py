"""A long list, in parts that a statement can take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")

IN_LIST: Final = 500
"""Values of one ``IN``: each is a parameter of the statement, and databases bound those."""


def parts(items: Sequence[T], size: int = IN_LIST) -> Iterator[Sequence[T]]:
    """Give ``items`` in their order, at most ``size`` of them at once."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
