"""How an operation ended, for people and for programs.

Rule: a failure names its first cause, where that stands in the template, and what to do next.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.cli.cause import ADVICE, Cause, first_cause, place_of
from stoker.cli.codes import DONE, FAILED
from stoker.cli.gather import Gathered
from stoker.cli.progress import State
from stoker.cli.screen import elapsed, holders, plain
from stoker.errors import CloudError

if TYPE_CHECKING:
    from stoker.cli.answer import Answer
    from stoker.cli.operation import Outcome
    from stoker.cli.progress import Item, Progress
    from stoker.cli.session import Json
    from stoker.cli.stacks import Stacks

NO_FILES = Gathered()
_NO_DESCRIPTION = "No description given"  # what the API says where a template says nothing


class Report:
    """What is told of outcomes; ``source`` is where the template's places are."""

    def __init__(self, stacks: Stacks, answer: Answer, source: Gathered = NO_FILES) -> None:
        self._stacks, self._answer, self._source = stacks, answer, source

    def told(self, outcome: Outcome) -> tuple[int, Json]:
        """Say how it ended; return the exit code and what a program is told."""
        document = _document(outcome)
        if outcome.is_good:
            self._say_good(outcome)
            if outcome.operation.action != "DELETE":
                document["outputs"] = self.outputs(outcome.operation.name, outcome.operation.id)
            return DONE, document
        cause = self._cause(outcome)
        self._say_failed(outcome, cause)
        document["failure"] = _failure(cause, outcome.status)
        return FAILED, document

    def outputs(self, name: str, id: str) -> Json:
        """Say a stack's outputs, and return their values by name."""
        found = self._stacks.stack(name, id, outputs=True).get("outputs") or []
        if found:
            self._answer.say("Outputs", "bold")
        width = max((len(each["output_key"]) for each in found), default=0)
        for each in found:
            self._say_output(each, width)
        return {each["output_key"]: each.get("output_value") for each in found}

    def _say_output(self, output: Json, width: int) -> None:
        value = output.get("output_value")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if output.get("output_error"):
            text = f"no value: {output['output_error']}"
        text = text.strip().replace("\n", f"\n  {'':{width}}  ")
        self._answer.say(f"  {output['output_key']:{width}}  {text}")
        if output.get("description") not in (None, "", _NO_DESCRIPTION):
            self._answer.say(f"  {'':{width}}  {output['description']}", "dim")

    def _say_good(self, outcome: Outcome) -> None:
        progress = outcome.progress
        kept = progress.count(State.KEPT)
        told = f"{len(progress.items)} resources" + (f", {kept} unchanged" if kept else "")
        name, seconds = outcome.operation.name, elapsed(outcome.seconds)
        self._answer.say(f"✔ {name} is {outcome.status} after {seconds}: {told}", "bold green")

    def _say_failed(self, outcome: Outcome, cause: Cause) -> None:
        explain = self._answer.explain
        name, seconds = outcome.operation.name, elapsed(outcome.seconds)
        self._answer.say(f"✘ {name} is {outcome.status} after {seconds}", "bold red")
        of = f"{cause.path}  {cause.type}" if cause.key else f"the stack {name} itself"
        explain("First cause", of, "bold")
        explain("", f"{cause.status}: {plain(cause.reason)}")
        if cause.place is not None:
            explain("Template", str(cause.place))
        for title, names in _aftermath(outcome.progress, cause):
            explain(title, _some(names), "dim")
        explain("Next", ADVICE.get(outcome.status, "Look what has happened:"))
        explain("", f"stoker events {name}", "dim")

    def _cause(self, outcome: Outcome) -> Cause:
        try:
            events = outcome.operation.events(self._stacks)
        except CloudError:  # a policy, or a service that keeps none; what was seen tells, too
            events = []
        cause = first_cause(events, outcome.progress, outcome.stack)
        return replace(cause, place=place_of(cause.key, outcome.progress, self._source))


def _aftermath(progress: Progress, cause: Cause) -> list[tuple[str, list[str]]]:
    blamed = {cause.key, *holders(progress)}
    failed = [
        item.path
        for item in progress.ordered()
        if item.state is State.FAILED and item.key not in blamed
    ]
    never = [item.path for item in progress.ordered() if item.state is State.WAITING]
    return [each for each in (("Failed, too", failed), ("Never begun", never)) if each[1]]


def _some(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _document(outcome: Outcome) -> Json:
    return {
        "stack": identity(outcome.operation.name, outcome.operation.id, outcome.stack),
        "action": outcome.operation.action,
        "seconds": round(outcome.seconds, 1),
        "resources": [_resource(item) for item in outcome.progress.ordered()],
        "failure": None,
    }


def identity(name: str, id: str, stack: Json) -> Json:
    """Return what a program is told of a stack."""
    return {
        "name": name,
        "id": id,
        "status": stack["stack_status"],
        "reason": stack["stack_status_reason"],
    }


def _resource(item: Item) -> Json:
    seconds = item.seconds(item.ended or 0.0)
    return {
        "path": item.path,
        "type": item.type,
        "status": item.status,
        "reason": item.reason,
        "changed": item.state is not State.KEPT,
        "seconds": None if seconds is None else round(seconds, 1),
    }


def _failure(cause: Cause, status: str) -> dict[str, Any]:
    return {
        "path": cause.path,
        "type": cause.type,
        "status": cause.status,
        "reason": cause.reason,
        "place": None if cause.place is None else str(cause.place),
        "next": ADVICE.get(status, ""),
    }
