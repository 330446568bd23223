"""What stands behind the question mark, read strictly: wrong values are refused with their name.

An empty value counts as not given, as in Heat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from stoker.errors import bad_request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DIGITS_MAX = 20
_SHOWN_MAX = 60
WHOLE_MAX = 2**31 - 1
"""The largest number that every database keeps in a whole-number column."""


class Query:
    """A request's parameters, each of which may be given several times."""

    __slots__ = ("_pairs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pairs = _pairs(text) if text else []

    def names(self) -> set[str]:
        return {key for key, _ in self._pairs}

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self._pairs if key == name and value)

    def last(self, name: str) -> str | None:
        values = self.all(name)
        return values[-1] if values else None

    def boolean(self, name: str, *, default: bool = False) -> bool:
        value = self.last(name)
        return default if value is None else boolean(name, value)

    def whole(self, name: str) -> int | None:
        value = self.last(name)
        return None if value is None else whole(name, value)

    def choice(self, name: str, allowed: tuple[str, ...]) -> str | None:
        value = self.last(name)
        if value is not None and value not in allowed:
            raise bad_request(f"'{name}' must be one of {', '.join(allowed)}, not {value!r}.")
        return value

    def commas(self, name: str) -> tuple[str, ...]:
        """Return the items of a comma list, over all its occurrences."""
        return tuple(item for text in self.all(name) for item in text.split(",") if item)

    def filters(self, columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """Return the values for each column of ``columns``, which maps parameters to columns."""
        chosen: dict[str, tuple[str, ...]] = {}
        for name, column in columns.items():
            values = self.all(name)
            if values:
                chosen[column] = chosen.get(column, ()) + values
        return chosen

    def only(self, known: Iterable[str]) -> None:
        """Refuse any parameter that is not known."""
        unknown = sorted(self.names() - set(known))
        if unknown:
            raise bad_request(f"Invalid filter parameters {unknown}")

    def with_marker(self, marker: str) -> str:
        """Return the text of the same query with another marker."""
        pairs = [(key, value) for key, value in self._pairs if key != "marker"]
        return urlencode([*pairs, ("marker", marker)])


def boolean(name: str, value: object) -> bool:
    """Return the truth that ``value`` is or spells; only true and false do, in any case."""
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word not in ("true", "false"):
        raise bad_request(f"'{name}' must be true or false, not {_shown(value)}.")
    return word == "true"


def whole(name: str, value: object) -> int:
    """Return the number that ``value`` is or spells: whole, not negative, not absurd."""
    if isinstance(value, str):
        digits = value.strip().removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS_MAX):
            raise bad_request(f"Only integer is acceptable by '{name}'.")
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise bad_request(f"Only integer is acceptable by '{name}'.")
    if not 0 <= value <= WHOLE_MAX:
        raise bad_request(f"'{name}' must be from 0 to {WHOLE_MAX}, not {value}.")
    return value


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=1000)
    except ValueError as error:
        raise bad_request(f"The query is not readable: {error}") from error
    if any("\0" in part for pair in pairs for part in pair):
        raise bad_request("The query holds a NUL character.")
    return pairs


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."
