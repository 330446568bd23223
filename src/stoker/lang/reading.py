"""One reading of a template: the problems found so far, and places for them.

Rule: a reader never stops at a problem; it notes it and reads on with a harmless value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from stoker.errors import Code, Kind, Path, Problem
from stoker.lang.places import Places
from stoker.lang.suggestion import meant
from stoker.lang.wording import shown, type_name

_NO_SECTION: Final = "The template section is invalid: "


@dataclass(frozen=True)
class Reading:
    """What all parts of a reader share; ``problems`` grows."""

    version: str
    places: Places
    problems: list[Problem] = field(default_factory=list)

    def fault(
        self,
        text: str,
        at: Path,
        kind: Kind = Kind.VALIDATION,
        *,
        code: Code = Code.INVALID,
        hint: str = "",
    ) -> None:
        """Note that ``text`` is wrong at ``at``; without a code the kind gives one."""
        place = self.places.nearest(at)
        self.problems.append(Problem(text, at, place, kind, code, hint=hint))

    def _shape(self, wanted: str, value: Any, at: Path, kind: Kind) -> None:
        text = f"this must be {wanted}, not {type_name(value)} ({shown(value)})"
        self.fault(text, at, kind, code=Code.WRONG_SHAPE)

    def a_map(self, value: Any, at: Path, kind: Kind = Kind.VALIDATION) -> dict[str, Any]:
        """Return ``value`` if it is a map; null counts as an empty one."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self._shape("a map", value, at, kind)
        return {}

    def section(self, raw: dict[str, Any], key: str) -> dict[str, Any]:
        """Return the section ``key``; what is empty counts as absent, as generators write it."""
        return self.a_map(raw.get(key) or None, (key,))

    def maps(
        self, section: dict[str, Any], at: Path, what: str, kind: Kind
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give the entries of a section that are maps; what else there is is a fault."""
        for name, each in section.items():
            if isinstance(each, dict):
                yield name, each
            else:
                self.fault(f"{what} must be a map, not {shown(each)}", (*at, name), kind)

    def a_list(self, value: Any, at: Path, kind: Kind = Kind.VALIDATION) -> list[Any]:
        """Return ``value`` if it is a list; null counts as an empty one."""
        if isinstance(value, list):
            return value
        if value is not None:
            self._shape("a list", value, at, kind)
        return []

    def text(self, value: Any, at: Path, kind: Kind = Kind.VALIDATION) -> str | None:
        """Return ``value`` as text; a map or a list is a fault, null stays None."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            self._shape("text", value, at, kind)
            return None
        return str(value)

    def known_keys(
        self, value: dict[str, Any], keys: dict[str, str], at: Path, kind: Kind, what: str
    ) -> None:
        """Note every key that is not in ``keys`` (name to first version)."""
        self.newer_keys(value, keys, at, kind)
        for key in value:
            if key not in keys:
                known = [name for name, first in keys.items() if first <= self.version]
                all_known = f"known are {', '.join(known)}"
                text = f"{key} is no key of {what}; {all_known}"
                code = Code.UNKNOWN_KEY if at else Code.UNKNOWN_SECTION
                hint = meant(key, known, len(self.problems))
                if kind is Kind.SECTION:  # clients look for these words, and for no more
                    text, hint = f"{_NO_SECTION}{key}", f"{hint} {all_known}".strip()
                self.fault(text, (*at, key), kind, code=code, hint=hint)

    def newer_keys(self, value: dict[str, Any], keys: dict[str, str], at: Path, kind: Kind) -> None:
        """Note every key that the template's version does not have yet."""
        for key in value:
            since = keys.get(key, "")
            if since > self.version:
                text = f"{key} needs heat_template_version {since} or newer, this is"
                self.fault(f"{text} {self.version}", (*at, key), kind, code=Code.NEWER_KEY)
