"""A request's JSON body: when it counts as one, how large it may be, and its fields by type.

All that is wrong with the fields is told at once. A null counts as not given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from stoker.api.query import boolean, whole
from stoker.errors import Invalid, Kind, LimitExceeded, Problem, bad_request

if TYPE_CHECKING:
    from collections.abc import Callable
    from wsgiref.types import WSGIEnvironment

    from stoker.usecases.stacks import Json

T = TypeVar("T")
_TAG_MAX = 80


def read_json(environ: WSGIEnvironment, limit: int) -> Json | None:
    """Return the body's object; None where there is nothing that counts as JSON.

    It counts when it begins with a brace and its media type is JSON, plain text or not given.
    Raises Invalid where it cannot be read, LimitExceeded over ``limit`` bytes.
    """
    if not _may_be_json(environ.get("CONTENT_TYPE", "")):
        return None
    content = raw(environ, limit)
    if not content.startswith(b"{"):
        return None
    try:
        body: Json = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"The body is not JSON: {error}") from error
    return body


class Fields:
    """The fields of a body; each is asked for by its type, and what is wrong is kept."""

    def __init__(self, body: Json) -> None:
        self._body = body
        self._problems: list[Problem] = []

    def refuse(self, text: str, *at: str | int) -> None:
        """Keep a problem of the caller's own finding."""
        self._problems.append(Problem(text, at, kind=Kind.REQUEST))

    def check(self) -> None:
        """Raise Invalid with all problems, if there are any."""
        if self._problems:
            raise Invalid(self._problems)

    def given(self, key: str) -> bool:
        return self._body.get(key) is not None

    def any(self, key: str) -> Any:
        """Return whatever it is."""
        return self._body.get(key)

    def text(self, key: str) -> str | None:
        """Return a text that every database can keep."""
        value: str | None = self._typed(key, str, "must be a string")
        if value is not None and "\0" in value:
            self.refuse("holds a NUL character", key)
        return value

    def text_within(self, key: str, most: int) -> str | None:
        """Return a text of so many characters at most."""
        value = self.text(key)
        if value is not None and len(value) > most:
            self.refuse(f"must have {most} characters at most, not {len(value)}", key)
        return value

    def map(self, key: str) -> dict[str, Any]:
        return self._typed(key, dict, "must be a map") or {}

    def document(self, key: str) -> str | dict[str, Any] | None:
        """Return a map, or the text of one in YAML or JSON that is read elsewhere."""
        value: str | dict[str, Any] | None = self._typed(
            key, (str, dict), "must be a map, or a string with one in YAML or JSON"
        )
        return value

    def texts(self, key: str) -> dict[str, str]:
        """Return a map of names to texts."""
        value = self.map(key)
        for name, content in value.items():
            if not isinstance(content, str):
                self.refuse(f"must be text, not {_kind(content)}", key, name)
        return value

    def maps(self, key: str) -> tuple[dict[str, Any], ...]:
        """Return a list of maps."""
        value: list[Any] = self._typed(key, list, "must be a list of maps") or []
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                self.refuse(f"must be a map, not {_kind(item)}", key, index)
        return tuple(item for item in value if isinstance(item, dict))

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        value: list[Any] = self._typed(key, list, "must be a list of strings") or []
        for index, item in enumerate(value):
            if not isinstance(item, str):
                self.refuse(f"must be a string, not {_kind(item)}", key, index)
        return tuple(item for item in value if isinstance(item, str))

    def boolean(self, key: str) -> bool | None:
        return self._parsed(key, boolean)

    def whole(self, key: str) -> int | None:
        return self._parsed(key, whole)

    def tags(self, key: str) -> tuple[str, ...] | None:
        """Return the tags of a comma string; None: not given."""
        text = self._typed(key, str, "must be a string with commas between the tags")
        if text is None:
            return None
        tags = tuple(tag.strip() for tag in text.split(",")) if text.strip() else ()
        for tag in tags:
            if len(tag) > _TAG_MAX:
                self.refuse(f'Invalid tag, "{tag}" is longer than {_TAG_MAX} characters')
            if not tag or not tag.isprintable():
                self.refuse(f"holds a tag that is empty or not printable: {tag!r}", key)
        return tags

    def _typed(self, key: str, types: Any, what: str) -> Any:
        value = self._body.get(key)
        if value is None or isinstance(value, types):
            return value
        self.refuse(f"{what}, not {_kind(value)}", key)
        return None

    def _parsed(self, key: str, parse: Callable[[str, object], T]) -> T | None:
        value = self._body.get(key)
        if value is None:
            return None
        try:
            return parse(key, value)
        except Invalid as error:
            self._problems.extend(error.problems)
            return None


_KINDS = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}


def _kind(value: object) -> str:
    return "null" if value is None else _KINDS.get(type(value), "a map")


def raw(environ: WSGIEnvironment, limit: int) -> bytes:
    """Return the body's bytes; raises LimitExceeded over ``limit``, Invalid for half of one."""
    if environ.get("wsgi.input_terminated") and not environ.get("CONTENT_LENGTH"):
        return _chunked(environ, limit)
    size = _size(environ)
    if size > limit:
        raise _too_large(f"{size}", limit)
    found: bytes = environ["wsgi.input"].read(size) if size else b""
    if len(found) < size:
        raise bad_request(f"The body ends after {len(found)} of {size} bytes.")
    return found


def _chunked(environ: WSGIEnvironment, limit: int) -> bytes:
    """Return a body whose length is not told; the server says that it marks the end."""
    found: bytes = environ["wsgi.input"].read(limit + 1)
    if len(found) > limit:
        raise _too_large(f"over {limit}", limit)
    return found


def _too_large(size: str, limit: int) -> LimitExceeded:
    return LimitExceeded(
        f"JSON body size ({size} bytes) exceeds maximum allowed size ({limit} bytes)."
    )


def _size(environ: WSGIEnvironment) -> int:
    text = environ.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdecimal()):
        raise bad_request(f"Content-Length is not a number: {text[:40]!r}")
    return int(text)


def _may_be_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name in ("", "json", "application/json") or name.startswith("text/plain")
