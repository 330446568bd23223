"""Documents: what XML cannot hold, what is left out, documents within."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from stoker.api.cfn.document import Embedded, Form

XML, JSON = Form(is_json=False, request_id="r"), Form(is_json=True, request_id="r")


def test_lists_truths_and_moments_are_written_as_clients_read_them() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
    content = {"a": [1, True], "b": None, "c": moment, "d": [], "e": {"f": "<&>"}}
    media_type, data = XML.document("Root", content)
    assert media_type == "application/xml"
    assert data == (
        b"<Root><a><member>1</member><member>true</member></a><c>2026-01-02T03:04:05Z</c>"
        b"<d></d><e><f>&lt;&amp;&gt;</f></e></Root>"
    )
    assert JSON.document("Root", {"b": None, "c": moment})[1] == (
        b'{"Root":{"c":"2026-01-02T03:04:05Z"}}'
    )


def test_a_document_within_is_text_in_xml_and_itself_in_json() -> None:
    content = {"Body": Embedded({"a": [1]})}
    assert XML.document("R", content)[1] == b'<R><Body>{"a": [1]}</Body></R>'
    assert JSON.document("R", content)[1] == b'{"R":{"Body":{"a":[1]}}}'


@given(st.text())
def test_every_text_can_be_read_again(text: str) -> None:
    root = ET.fromstring(XML.document("R", {"t": text})[1])  # noqa: S314 - our own
    found = root[0].text or ""
    assert len(found) == len(text)
    same = [a for a, b in zip(found, text, strict=True) if a in (b, "\ufffd")]
    assert len(same) == len(text)
