"""Templates that were found in order a while ago, so that nobody has to check them again.

Who writes a template, and who checks one in a pipeline, asks the same several times. What hangs
on the template alone is remembered, under a digest of all that was asked; what a cloud says is
asked anew each time. Rule: what is wrong is not remembered, and no more than so many answers.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.sdk.cloud import Lookup
    from stoker.usecases.stacks import Goal, Json

MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Validated:
    """The answer, and what a cloud is to be asked before it is given."""

    answer: Json
    lookups: tuple[Lookup, ...]
    secrets: frozenset[str]


class Remembered:
    """The newest answers, for any number of threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._found: OrderedDict[bytes, Validated] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, goal: Goal, project_id: str, work: Callable[[], Validated]) -> Validated:
        """Return what ``work`` gave for this very goal, or gives now; what it raises is raised."""
        key = _key(goal, project_id)
        if key is None:
            return work()
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = work()
        with self._lock:
            self._found[key] = found
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        return found


def _key(goal: Goal, project_id: str) -> bytes | None:
    """Return a digest of all that an answer hangs on; None for what orjson does not write.

    The order of keys is part of it: answers keep it.
    """
    asked = (
        project_id,
        goal.template,
        dict(goal.parameters),
        goal.environment,
        goal.environment_files,
        dict(goal.files),
        goal.file,
    )
    try:
        return hashlib.sha256(orjson.dumps(asked)).digest()
    except TypeError:
        return None
