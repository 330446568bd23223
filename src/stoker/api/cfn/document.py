"""Answers as documents, in XML or JSON as the client asks for them.

Rule: a key without a value is left out: clients read types from the words that they find.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from stoker.api.reply import rendered
from stoker.usecases.moment import moment

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.api.cfn.params import Params
    from stoker.api.cfn.refused import Refused

_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to write."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document within a document: JSON text in XML, and itself in JSON."""

    value: Any


@dataclass(frozen=True, slots=True)
class Form:
    """How a client wants its answer."""

    is_json: bool
    request_id: str

    def answer(self, action: str, result: Any) -> tuple[str, bytes]:
        """Return the media type and the bytes of what an action gives."""
        more = {"ResponseMetadata": {"RequestId": self.request_id}}
        return self.document(f"{action}Response", {f"{action}Result": result, **more})

    def refusal(self, refused: Refused, *, by_client: bool) -> tuple[str, bytes]:
        """Return those of an error."""
        error = {
            "Type": "Sender" if by_client else "Server",
            "Code": refused.code,
            "Message": str(refused),
            "Remedy": refused.remedy,
        }
        return self.document("ErrorResponse", {"Error": error, "RequestId": self.request_id})

    def document(self, root: str, content: Any) -> tuple[str, bytes]:
        """Return those of any document."""
        if self.is_json:
            return "application/json", rendered({root: _plain(content)})
        return "application/xml", f"<{root}>{_xml(content)}</{root}>".encode()


def form_of(environ: WSGIEnvironment, params: Params, request_id: str) -> Form:
    """Return how the client wants its answer: in XML, unless it asks for JSON."""
    by_word = params.values.get("ContentType", "").upper() == "JSON"
    accept = environ.get("HTTP_ACCEPT", "")
    return Form(by_word or ("application/json" in accept and "xml" not in accept), request_id)


def text_of(value: Any) -> str:
    """Return the text that stands for a value: maps and lists as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return str(moment(value))
    return json.dumps(value)


def _xml(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = (f"<{key}>{_xml(each)}</{key}>" for key, each in value.items() if each is not None)
        return "".join(parts)
    if isinstance(value, list):
        return "".join(f"<member>{_xml(each)}</member>" for each in value)
    text = json.dumps(value.value) if isinstance(value, Embedded) else text_of(value)
    return escape(_UNSPEAKABLE.sub("\ufffd", text), {"\r": "&#13;"})


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, Embedded):
        return value.value
    return moment(value) if isinstance(value, datetime) else value
