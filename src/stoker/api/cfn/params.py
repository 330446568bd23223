"""The parameters of a call: of the query and of a form, each by its name.

Rule: what a signature has covered is what is read. Keystone checks all parameters of version 2, but
of a POST in version 4 the form alone, so that the query of such a one is left aside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from stoker.api.body import raw
from stoker.api.cfn.refused import Refused
from stoker.api.query import boolean, whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

_FORM = "application/x-www-form-urlencoded"
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Params:
    """A call's parameters, and the bytes that came as its body. Empty counts as not given."""

    values: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)

    def text(self, name: str) -> str | None:
        """Return a value, None where it is not given."""
        return self.values.get(name) or None

    def needed(self, name: str) -> str:
        """Return a value; raises Refused where it is not given."""
        value = self.text(name)
        if value is None:
            raise Refused("MissingParameter", f"The request must contain the parameter {name}")
        return value

    def boolean(self, name: str) -> bool | None:
        """Return what a value spells; raises Invalid."""
        value = self.text(name)
        return None if value is None else boolean(name, value)

    def whole(self, name: str) -> int | None:
        """Return the number that a value spells; raises Invalid."""
        value = self.text(name)
        return None if value is None else whole(name, value)

    def members(self, name: str) -> list[dict[str, str]]:
        """Return a list's members in their order, each by its keys; a plain one under ``""``."""
        shape = re.compile(rf"{re.escape(name)}\.member\.(\d{{1,6}})(?:\.(\w+))?")
        found: dict[int, dict[str, str]] = {}
        for key, value in self.values.items():
            if (match := shape.fullmatch(key)) is not None:
                found.setdefault(int(match[1]), {})[match[2] or ""] = value
        return [found[number] for number in sorted(found)]

    def plain(self, name: str) -> list[str]:
        """Return a list of plain values."""
        return [each[""] for each in self.members(name) if each.get("")]

    def given(self, *names: str) -> list[str]:
        """Return which of these are given, as values or as lists."""
        return [
            name
            for name in names
            if any(key == name or key.startswith(f"{name}.") for key in self.values)
        ]


def read(environ: WSGIEnvironment, limit: int) -> Params:
    """Return the parameters; raises Invalid, LimitExceeded, Refused for what is not readable."""
    body = raw(environ, limit)
    query, form = _pairs(environ.get("QUERY_STRING", "")), {}
    if _is_form(environ, body):
        form = _pairs(body.decode("utf-8", "replace"))
    values = {**query, **form}
    if environ["REQUEST_METHOD"] == "POST" and values.get("SignatureVersion") != "2":
        values = form
    return Params(values, body)


def _is_form(environ: WSGIEnvironment, body: bytes) -> bool:
    """Return whether the body is a form; clients such as curl say so of a signal's JSON, too."""
    if body.lstrip().startswith(b"{"):
        return False
    return str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower() == _FORM


def _pairs(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST)
    except ValueError as error:
        raise Refused("MalformedQueryString", f"The parameters are not readable: {error}") from None
    if any("\0" in part for pair in pairs for part in pair):
        raise Refused("MalformedQueryString", "The parameters hold a NUL character.")
    return dict(pairs)
