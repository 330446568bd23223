"""The same questions asked of real Heat and of Stoker, and what both say.

Rule: an answer is the JSON of a value, or a refusal; the words of refusals are not compared.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoker.engine.goals import Documents, Preparation
from stoker.engine.settings import Settings
from stoker.errors import Invalid, LimitExceeded, Problem
from stoker.lang.environment import merge, read_environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo

HEAT_SIDE = Path(__file__).with_name("heat_side.py")
ZONES = ("north", "south")
"""As real Heat is told there."""


@dataclass(frozen=True)
class Answer:
    """A value as JSON text, or None and why it was ``refused``, of ours a problem a line."""

    value: str | None
    refused: str = ""


class Heat:
    """A process that has real Heat's modules."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-E", "-W", "ignore", HEAT_SIDE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, question: str, *arguments: Any) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([question, arguments]) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        return _value(said["value"]) if "value" in said else Answer(None, said["refused"])

    def close(self) -> None:
        self._process.communicate()


def stoker(question: str, *arguments: Any) -> Answer:
    try:
        return _value(_QUESTIONS[question](*arguments))
    except Invalid as error:
        return Answer(None, "\n".join(map(_told, error.problems)))
    except LimitExceeded as error:
        return Answer(None, str(error))


def _told(problem: Problem) -> str:
    line = f"{'.'.join(map(str, problem.at))}: {problem.text}"
    return " ".join(line.splitlines())


def _value(value: Any) -> Answer:
    return Answer(json.dumps(value, sort_keys=True))


def _outputs(
    template: dict[str, Any], environment: dict[str, Any], files: dict[str, str]
) -> dict[str, Any]:
    inputs = Inputs("s", "the-id", "p", read_environment(environment), files=files, zones=ZONES)
    made = instantiate(read(template), inputs).outputs
    problems = [problem for each in made.values() for problem in each.problems]
    if problems:
        raise Invalid(problems)
    return {name: each.value for name, each in made.items()}


def _merged(environments: list[str], template: dict[str, Any]) -> dict[str, Any]:
    types = {name: each.type for name, each in read(template).parameters.items()}
    return merge([read_environment(each) for each in environments], types).as_dict()


def _validated(template: dict[str, Any], environment: dict[str, Any], files: dict[str, str]) -> str:
    documents = Documents(template, read_environment(environment), files=files)
    _PREPARATION.prepare(documents, StackInfo("the-id", "s", "p"))
    return "sound"


_PREPARATION = Preparation(Index(), Settings(max_resources_per_stack=-1))
_QUESTIONS: dict[str, Callable[..., Any]] = {
    "outputs": _outputs,
    "merged": _merged,
    "validated": _validated,
}
