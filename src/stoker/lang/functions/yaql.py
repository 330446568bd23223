"""yaql: a query over data, run by an engine that the application hands in.

A yaql expression can run for long while nothing else in the process can; whoever hands an engine
in runs it apart, with limits on time and memory.

Rule: the engine is handed in once, when the process starts; without one yaql is refused.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from stoker.lang.functions.arguments import fields, shown, text, wrong
from stoker.lang.functions.registry import Scope, function

_REASON_LIMIT: Final = 300


class YaqlEngine(Protocol):
    """Runs expressions; both raise ValueError with the reason of a failure."""

    def check(self, expression: str) -> None:
        """Return if the expression can be read."""

    def run(self, expression: str, data: Any) -> Any:
        """Return what the expression gives for ``{"data": data}``, as JSON has it."""


class NoEngine:
    """What refuses every expression."""

    def check(self, expression: str) -> None:
        raise ValueError("this program does not run yaql")

    def run(self, expression: str, data: Any) -> Any:
        del data
        self.check(expression)


class _Chosen:
    engine: YaqlEngine = NoEngine()


def run_yaql_with(engine: YaqlEngine) -> YaqlEngine:
    """Let ``engine`` run all expressions of this process from now on; returns the one before."""
    before, _Chosen.engine = _Chosen.engine, engine
    return before


def _given(args: Any) -> dict[str, Any]:
    return fields(args, ("expression",), ("data",))


def _late(_scope: Scope, args: Any) -> tuple[str, Any]:
    """Check the expression now, where it is known; its data come later."""
    given = _given(args)["expression"]
    if isinstance(given, str):
        try:
            _Chosen.engine.check(given)
        except ValueError as error:
            raise wrong(_failed(given, error)) from None
    return "yaql", args


@function(
    "yaql", "yaql: {expression: text, data: value}", since="2016-10-14",
    in_conditions="2016-10-14", late=_late, makes=True, slow=True, written=True,
)  # fmt: skip
def yaql(args: Any) -> Any:
    """Return what the expression gives; the data stand under ``$.data``."""
    given = _given(args)
    expression = text(given["expression"], "the expression")
    try:
        return _Chosen.engine.run(expression, given.get("data", {}))
    except ValueError as error:
        raise wrong(_failed(expression, error)) from None


def _failed(expression: str, error: ValueError) -> str:
    return f"the expression {shown(expression)} fails: {shown(str(error), _REASON_LIMIT)}"
