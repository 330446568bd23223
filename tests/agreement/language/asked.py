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

from stoker.errors import Invalid
from stoker.lang.environment import merge, read_environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read

HEAT_SIDE = Path(__file__).with_name("heat_side.py")
ZONES = ("north", "south")
"""As real Heat is told there."""


@dataclass(frozen=True)
class Answer:
    """A value as JSON text, or None and why it was ``refused``."""

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
        return Answer(None, "; ".join(each.text for each in error.problems))


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


_QUESTIONS: dict[str, Callable[..., dict[str, Any]]] = {"outputs": _outputs, "merged": _merged}
