"""A key that means nothing: of an output, a group, or a resource of CloudFormation.

Rule: Heat passes over such keys, and so do stacks; most are slips.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stoker.errors import Code, Path, Problem
from stoker.lang.cfn import reader as cfn
from stoker.lang.entries import Words
from stoker.lang.hot import reader as hot
from stoker.lang.hot.parameters import GROUP
from stoker.lang.lint.subject import Subject
from stoker.lang.suggestion import meant
from stoker.lang.versions import CFN


def ignored_keys(subject: Subject) -> Iterator[Problem]:
    """Give them."""
    for what, at, given, known in _maps(subject):
        for key in given:
            if key not in known:
                text = f"{key} is no key of {what} and is passed over; known are {', '.join(known)}"
                told = subject.warning(text, (*at, key), Code.IGNORED_KEY)
                yield replace(told, hint=meant(key, known))


def _maps(
    subject: Subject,
) -> Iterator[tuple[str, Path, dict[str, object], tuple[str, ...]]]:
    """Give what each map is, its path, the map, and the keys that it may have."""
    template = subject.template
    words = cfn.WORDS if template.version in CFN else hot.WORDS
    for name, each in (template.raw.get(words.resources) or {}).items():
        yield "a resource", ("resources", name), each, _of_resource(words)
    for name, each in (template.raw.get(words.outputs) or {}).items():
        yield "an output", ("outputs", name), each, _of_output(words)
    for index, each in enumerate(template.raw.get("parameter_groups") or ()):
        yield "a parameter group", ("parameter_groups", index), each, GROUP


def _of_resource(words: Words) -> tuple[str, ...]:
    policies = (words.update_policy, words.deletion_policy)
    known = (words.type, words.properties, words.metadata, words.depends_on, *policies,
             words.external_id, words.description, words.condition)  # fmt: skip
    return tuple(each for each in known if each is not None)


def _of_output(words: Words) -> tuple[str, ...]:
    return (words.value, words.description, words.condition)
