"""The program that runs yaql expressions, one JSON line a question; nothing of Stoker is in it.

Rule: an expression has a second of processor time, after which the kernel ends this process
whatever it is doing, and the process has 256 MiB in all. Both are out of the expression's reach.
"""

from __future__ import annotations

import collections.abc  # noqa: F401 - yaql takes for granted that somebody has imported it
import json
import resource
import signal
import sys
from functools import lru_cache
from typing import Any

SECONDS = 1.0
MEMORY = 256 * 2**20
MAX_ANSWER = 16 * 2**20
"""Characters."""


class Yaql:
    """The engine and the functions that expressions may use, with yaql's own limits."""

    def __init__(self, iterations: int, quota: int) -> None:
        import yaql  # type: ignore[import-untyped]  # it has no types
        from yaql.language.exceptions import YaqlException  # type: ignore[import-untyped]  # it has no types

        limits = {"yaql.limitIterators": iterations, "yaql.memoryQuota": quota}
        # What yaql and its functions raise of an expression or of its data.
        self._failures = (YaqlException, ValueError, TypeError, LookupError, ArithmeticError,
                          AttributeError, RecursionError, NotImplementedError)  # fmt: skip
        self._context = yaql.create_context()
        self._parsed = lru_cache(maxsize=256)(yaql.YaqlFactory().create(options=limits))

    def answer(self, question: list[Any]) -> dict[str, Any]:
        """Return the value of ``[expression, data]``, None for ``[expression]``, or a problem."""
        expression, *data = question
        try:
            parsed = self._parsed(expression)
            if not data:
                return {"value": None}
            context = self._context.create_child_context()
            return {"value": parsed.evaluate(data={"data": data[0]}, context=context)}
        except MemoryError:
            return {"problem": "it needs too much memory"}
        except self._failures as error:
            return {"problem": str(error) or type(error).__name__}


def main() -> None:
    """Answer until the input ends; the arguments are yaql's own limits."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    yaql = Yaql(*map(int, sys.argv[1:]))
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        said = _written(yaql.answer(json.loads(line)))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(said + "\n")
        sys.stdout.flush()


def _written(answer: dict[str, Any]) -> str:
    try:
        said = json.dumps(answer, default=_listed)
    except MemoryError:
        return json.dumps({"problem": "it needs too much memory"})
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"problem": f"its result cannot stand in a template: {error}"})
    if len(said) > MAX_ANSWER:
        return json.dumps({"problem": "its result is too large"})
    return said


def _listed(value: Any) -> list[Any]:
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


if __name__ == "__main__":
    main()
