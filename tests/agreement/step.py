"""What a scenario is made of: requests, and what real services answer to them.

Rule: a step is a value. Texts in ``{braces}`` stand for what an earlier step kept, or for what the
cloud was said to have (``cloud.Cloud.names``); what a step expects was seen on real services.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Any
SOME = "<something>"
"""As an expected value: there, and not null."""
GONE = "<gone>"
"""As an expected value: not there."""
_NAME = re.compile(r"\{([a-z_0-9]+)\}")


@dataclass(frozen=True, slots=True)
class Step:
    """A request and its answer.

    ``path`` begins behind the service's root (``/v2.0/ports``), so that versions can be looked at.
    ``see`` maps a place in the answer (``port.fixed_ips.0.ip_address``; ``ports.#`` is a length,
    ``@Name`` a header) to its value, ``keep`` a name to the place of its value. A ``patient`` step
    is repeated until it agrees. ``who`` is ``member``, ``admin``, ``stranger`` (a member of another
    project) or ``nobody`` (without a token).
    """

    service: str
    method: str
    path: str
    status: int
    body: Json = None
    see: Mapping[str, object] = field(default_factory=dict)
    keep: Mapping[str, str] = field(default_factory=dict)
    patient: bool = False
    who: str = "member"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps that build on one another; what they make is taken away at the end."""

    name: str
    steps: tuple[Step, ...]


class Unknown(Exception):
    """A name in braces that stands for nothing, since an earlier step went wrong."""


def filled(value: Json, names: Mapping[str, str]) -> Json:
    """Return a value with what the names in braces stand for.

    Raises:
        Unknown: nothing was kept under a name.
    """
    if isinstance(value, str):
        return _NAME.sub(lambda found: _named(found[1], names), value)
    if isinstance(value, Mapping):
        return {key: filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    return value


def _named(name: str, names: Mapping[str, str]) -> str:
    if name not in names:
        raise Unknown(f"nothing was kept as {name}")
    return names[name]


def at(place: str, body: Json) -> Json:
    """Return what stands at a place of a body; ``GONE`` where nothing does."""
    for word in place.split("."):
        if word == "#" and isinstance(body, list):
            body = len(body)
        elif isinstance(body, list) and word.isdigit() and int(word) < len(body):
            body = body[int(word)]
        elif isinstance(body, Mapping) and word in body:
            body = body[word]
        else:
            return GONE
    return body
