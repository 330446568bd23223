"""One request and its answer, as handlers see them.

Rule: nothing of WSGI goes past this module; what a client got wrong in form (no JSON, no wrapper
key) is refused here, in the service's own shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import orjson

from stoker.devcloud.caller import NOBODY, Caller
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import State

JSON = "application/json"


@dataclass(slots=True)
class Reply:
    """An answer that is more than a JSON body with the route's status; ``status`` 0 keeps that."""

    body: dict[str, Any] | list[Any] | bytes | str | None = None
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    type: str = ""

    def payload(self) -> tuple[bytes, str]:
        """Give the body's bytes and its content type."""
        if self.body is None:
            return b"", self.type
        if isinstance(self.body, bytes):
            return self.body, self.type or "application/octet-stream"
        if isinstance(self.body, str):
            return self.body.encode(), self.type or "text/html; charset=UTF-8"
        return orjson.dumps(self.body), self.type or JSON


class Request:
    """A request on its way through its handler."""

    __slots__ = (
        "_environ",
        "_query",
        "answer_headers",
        "body",
        "caller",
        "cloud",
        "is_cut_off",
        "method",
        "operation",
        "params",
        "path",
        "service",
    )

    def __init__(self, cloud: Cloud, environ: dict[str, Any]) -> None:
        self.cloud = cloud
        self._environ = environ
        self._query: dict[str, list[str]] | None = None
        self.method: str = environ["REQUEST_METHOD"]
        self.path: str = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
        self.service = ""
        self.operation = ""
        self.params: dict[str, str] = {}
        self.body = b""
        self.is_cut_off = False  # the sender went away before the body's end
        self.caller: Caller = NOBODY
        self.answer_headers: dict[str, str] = {}

    @property
    def state(self) -> State:
        return self.cloud.state

    @property
    def query(self) -> dict[str, list[str]]:
        """The query string: each name with its values, in order."""
        if self._query is None:
            self._query = {}
            for name, value in parse_qsl(self.query_string, keep_blank_values=True):
                self._query.setdefault(name, []).append(value)
        return self._query

    @property
    def query_string(self) -> str:
        return str(self._environ.get("QUERY_STRING", ""))

    def header(self, name: str, default: str = "") -> str:
        """Give a request header."""
        key = name.upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        return str(self._environ.get(key, default))

    def first(self, name: str, default: str = "") -> str:
        """Give a query parameter's first value."""
        values = self.query.get(name)
        return values[0] if values else default

    def json(self) -> Any:
        """Read the body as JSON; refuse with 400 what is not."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError as error:
            raise Refusal(400, f"Malformed request body: {error}") from error

    def object(self) -> dict[str, Any]:
        """Read the body as a JSON object; refuse with 400 what is not."""
        body = self.json()
        if not isinstance(body, dict):
            raise Refusal(400, "Malformed request body: it must be a JSON object")
        return body

    def wrapped(self, key: str) -> dict[str, Any]:
        """Give the object under the body's one key; refuse with 400 a body without it."""
        inner = self.object().get(key)
        if not isinstance(inner, dict):
            raise Refusal(400, f"Unable to find '{key}' in request body")
        return inner
