"""A key that YAML takes for something else than text, so that it gets another name: ``on``."""

from __future__ import annotations

from collections.abc import Iterator

from stoker.errors import Code, Kind, Problem, Severity
from stoker.lang.events import key_text
from stoker.lang.lint.keys import keys
from stoker.lang.lint.subject import Subject
from stoker.lang.places import place
from stoker.lang.scalars import plain

_MERGE = "<<"


def keys_not_text(subject: Subject) -> Iterator[Problem]:
    """Give them, with the name that they get."""
    file = subject.template.places.file
    for key in keys(subject.text):
        read = key_text(plain(key.text)) if key.is_plain and key.text != _MERGE else key.text
        if read != key.text:
            text = f'the key {key.text} is read as "{read}"; put quotes around it'
            at = place(file, key.at)
            yield Problem(text, key.path, at, Kind.TEMPLATE, Code.KEY_NOT_TEXT, Severity.WARNING)
