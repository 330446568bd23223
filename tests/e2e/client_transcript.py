"""Transcripts: what a person types at ``openstack`` and what it prints, as text that can be read.

A transcript is a text file. A line that begins with ``$`` is a command (without the word
``openstack``); the indented lines after it are its output, ``! `` before what it wrote as an error,
``[1]`` at the end when that is its exit code. ``~$``: the lines may come in any order, and are
kept sorted. ``% wait NAME`` waits until a stack is at rest, ``% keep WORD COMMAND`` runs a
command whose first line of output is what ``{WORD}`` means from then on. ``#`` is a comment.

Rule: what differs from run to run (ids, times, addresses, the widths of a table) is written as
a word; everything else is as it came.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tests.e2e.openstack_program import OpenStackProgram, Ran

WAIT_SECONDS = 120.0
LOOK_SECONDS = 0.1
_INDENT = "    "
_OF_RESOURCES = ("resources", "added", "deleted", "replaced", "unchanged", "updated")
_DESCRIPTION = re.compile(r"^( *[Dd]escription:) .*(?:\n ++(?![\w:'*]+:(?: |$)).*)*", re.MULTILINE)
"""How a resource type is described: in other words by every program."""
_WORDS = (
    (re.compile(r"file://\S*?/templates/"), "file:///<folder>/"),
    (re.compile(r"(?<=')/\S*?/templates/"), "/<folder>/"),
    (re.compile(r"http://[\w.]+:\d+/v1/[0-9a-f]{32}"), "<endpoint>"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<hex>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "<time>"),
    (re.compile(r"-[a-z2-7]{12}\b"), "-<random>"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the script, with what it printed; ``note`` are the comments before it."""

    line: str
    printed: tuple[str, ...] = ()
    note: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join((*self.note, self.line, *(f"{_INDENT}{each}" for each in self.printed)))

    @property
    def is_command(self) -> bool:
        return self.line.startswith(("$ ", "~$ "))

    @property
    def words(self) -> list[str]:
        """What is typed after ``openstack``."""
        return shlex.split(self.line.partition("$ ")[2])

    def otherwise(self, differences: Mapping[str, Step]) -> Step:
        """Return the step with what is printed instead, where ``differences`` has it."""
        return replace(self, printed=differences.get(self.line, self).printed)


def read(path: Path) -> list[Step]:
    """Return the steps of a transcript."""
    steps: list[Step] = []
    note: tuple[str, ...] = ()
    for line in path.read_text().splitlines():
        if line.startswith(_INDENT):
            steps[-1] = replace(steps[-1], printed=(*steps[-1].printed, line[len(_INDENT) :]))
        elif line.startswith("#"):
            note = (*note, line)
        elif line.strip():
            steps.append(Step(line, note=note))
            note = ()
    return steps


def written(steps: Iterable[Step]) -> str:
    """Return the text of a transcript."""
    return "".join(f"{step.text}\n\n" for step in steps).rstrip("\n") + "\n"


@dataclass(slots=True)
class Player:
    """Runs the steps of a transcript one after another and returns them as they went."""

    program: OpenStackProgram
    kept: dict[str, str] = field(default_factory=dict)

    def play(self, step: Step) -> Step:
        """Do what a step says."""
        if step.is_command:
            ran = self.program.run(*map(self._meant, step.words))
            return replace(step, printed=printed(ran, in_order=step.line.startswith("$")))
        _, verb, *words = shlex.split(step.line)
        assert step.line.startswith("% "), step
        match verb, words:
            case "wait", [name]:
                self._wait(name)
            case "keep", [word, *command]:
                self.kept[word] = self.program.ok(*map(self._meant, command)).out.split("\n")[0]
            case _:
                raise AssertionError(f"no such step: {step.line}")
        return step

    def _meant(self, word: str) -> str:
        for name, value in self.kept.items():
            word = word.replace(f"{{{name}}}", value)
        return word

    def _wait(self, name: str) -> None:
        until = time.monotonic() + WAIT_SECONDS
        show = ("stack", "show", name, "--no-resolve-outputs", "-f", "value", "-c", "stack_status")
        while "IN_PROGRESS" in (ran := self.program.run(*show)).out:
            assert time.monotonic() < until, ran
            time.sleep(LOOK_SECONDS)


def printed(ran: Ran, *, in_order: bool = True) -> tuple[str, ...]:
    """Return what a command printed, line by line."""
    out = [plain(line) for line in _steady(ran).splitlines() if not _is_border(line)]
    err = [f"! {plain(line)}" for line in ran.err.splitlines() if line.strip()]
    code = [f"[{ran.code}]"] if ran.code else []
    return (*(out if in_order else sorted(map(_loose, out))), *err, *code)


def plain(line: str) -> str:
    """Return a line with words in place of what differs from run to run."""
    for pattern, word in _WORDS:
        line = pattern.sub(word, line)
    if line.startswith("|") and line.endswith("|"):
        line = " | ".join(cell.strip() for cell in line.strip("|").split(" | "))
        line = f"| {line.strip()} |"
    return line.rstrip()


def _steady(ran: Ran) -> str:
    """Return the output without what hangs on the wording of types and the length of paths."""
    match ran.arguments:
        case ("orchestration", "resource", "type", "show", *_):
            return _DESCRIPTION.sub(r"\1 <text>", ran.out)
        case ("stack", "file", "list", *_) if not ran.code:
            return yaml.safe_dump(yaml.safe_load(ran.out), width=math.inf)
        case ("stack", _, "--dry-run", *_) if not ran.code:
            return "\n".join(_previewed(json.loads(ran.out)))
        case _:
            return ran.out


def _previewed(document: dict[str, Any]) -> Iterator[str]:
    """Give a preview in short: each resource on a line, with the keys that are told of it."""
    for key, value in document.items():
        if key in _OF_RESOURCES:
            yield from sorted(f"{key}: {each}" for each in _resources(value)) or [f"{key}: -"]
        else:
            ordered = sorted(value, key=str) if isinstance(value, list) else value
            yield f"{key}: {json.dumps(ordered, sort_keys=True)}"


def _resources(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _resources(each)
        return
    stack, path = value["stack_name"], value["resource_identity"]["path"]
    state = f"{value['resource_action']}_{value['resource_status']}"
    yield f"{stack}{path} {value['resource_type']} {state} {' '.join(sorted(value))}"


def _loose(line: str) -> str:
    """Return a line of a list that may come in any order: the last one has no comma."""
    return line.removesuffix(" |").rstrip(",").strip() if line.startswith("| |") else line


def _is_border(line: str) -> bool:
    return set(line.strip()) <= set("+-")
