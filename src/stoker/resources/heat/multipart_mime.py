"""OS::Heat::MultipartMime: several texts for cloud-init in one message, kept as a software config.

Rule: the message follows from the resource alone, its boundary too, so that it is the same
whoever goes on with a create.
"""

from __future__ import annotations

import email
from collections.abc import Iterator
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import PurePosixPath

from stoker.resources.chosen_id import chosen_id
from stoker.resources.kept_config import ATTRIBUTES, UNGROUPED, adopted, kept, text_of
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Resource, Step
from stoker.sdk.schema import Props, Support, prop
from stoker.usecases.software import NewConfig


class Part(Props):
    config: str = prop("The text, or the id of a software config that holds it.")
    filename: str | None = prop("Name of the file that it becomes.", default=None)
    type: str = prop(
        "Whether it is one part, or a message whose parts are taken.",
        default="text",
        one_of=("text", "multipart"),
    )
    subtype: str | None = prop("What kind of text it is, such as cloud-config.", default=None)


class MultipartMimeProps(Props):
    group: str = prop(
        "The tool that carries it out.", default=UNGROUPED, support=Support(since="14.0.0")
    )
    parts: tuple[Part, ...] = prop("The parts of the message.", default=[])


def message(at: At[MultipartMimeProps]) -> str:
    """Return the message."""
    whole = MIMEMultipart(boundary=f"===={chosen_id(at.mark)}====")
    for part in at.props.parts:
        for each in _parts(part, text_of(at, part.config)):
            whole.attach(each)
    return whole.as_string()


def _parts(part: Part, text: str) -> Iterator[Message]:
    inner = email.message_from_string(text)
    if part.type == "multipart" and inner.is_multipart():
        for each in inner.walk():
            if not each.is_multipart():
                yield each
        return
    named = PurePosixPath(part.filename or "").stem
    found = MIMEText(text, part.subtype or named or "plain", _charset(text))
    if part.filename:
        found.add_header("Content-Disposition", "attachment", filename=part.filename)
    yield found


def _charset(text: str) -> str:
    return "us-ascii" if text.isascii() else "utf-8"


class MultipartMime(Resource[MultipartMimeProps]):
    type_name = "OS::Heat::MultipartMime"
    since = "2014.1"
    doc = "Several scripts and cloud-configs in one message, for the user data of a server."
    Props = MultipartMimeProps
    computes = True
    attributes = ATTRIBUTES
    keeps_config = True

    def create(self, at: At[MultipartMimeProps], cloud: Cloud) -> Step:
        return kept(at, NewConfig(at.name, at.props.group, message(at)))

    def adopt(self, at: At[MultipartMimeProps], cloud: Cloud) -> Step:
        return adopted(at)

    def delete(self, at: At[MultipartMimeProps], cloud: Cloud) -> Step:
        return Done()
