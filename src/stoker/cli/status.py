"""``stoker status``: all stacks of a project, or one with its resources and outputs.

Rule: it changes nothing; ``follow`` watches an operation that is under way to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.cli.codes import DONE, FAILED
from stoker.cli.operation import Operation
from stoker.cli.progress import Item, Progress, State, advanced, beginning
from stoker.cli.report import Report, identity
from stoker.cli.screen import STYLES, holders, note, short
from stoker.cli.watch import watched
from stoker.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Container

    from stoker.cli.answer import Answer
    from stoker.cli.nesting import Key
    from stoker.cli.options import Waiting
    from stoker.cli.session import Json
    from stoker.cli.stacks import Stacks

_LOOKS = {
    "COMPLETE": State.DONE,
    "FAILED": State.FAILED,
    "IN_PROGRESS": State.WORKING,
}


def all_stacks(stacks: Stacks, answer: Answer) -> int:
    """Show the project's stacks; return the exit code."""
    found = stacks.all()
    if not found:
        answer.say("no stacks")
    rows = [_line(stack) for stack in found]
    answer.columns(rows, ("", "name", "status", "changed", "id"), spare=True)
    answer.give({"stacks": [_listed(stack) for stack in found]})
    return DONE


def one_stack(name: str, stacks: Stacks, answer: Answer) -> int:
    """Show a stack with its resources and outputs; the exit code tells whether it failed."""
    stack = _existing(name, stacks)
    name, id = str(stack["stack_name"]), str(stack["id"])
    state = _state(str(stack["stack_status"]))
    answer.say(f"{state} {name}  {stack['stack_status']}  {id}", f"bold {STYLES[state]}")
    if stack["stack_status_reason"]:
        answer.beside("  ", str(stack["stack_status_reason"]), "dim")
    tree = advanced(Progress("STATUS"), stacks.resources(name, id), 0.0)
    blamed = holders(tree)
    answer.columns([_row(item, blamed) for item in tree.ordered()])
    outputs = Report(stacks, answer).outputs(name, id)
    told = {**_listed(stack), "reason": stack["stack_status_reason"]}
    resources = [_resource(item) for item in tree.ordered()]
    answer.give({"stack": told, "resources": resources, "outputs": outputs})
    return FAILED if state is State.FAILED else DONE


def followed(name: str, waiting: Waiting, stacks: Stacks, answer: Answer) -> int:
    """Watch what is done to a stack to its end; show it as it is where nothing is."""
    stack = _existing(name, stacks)
    action, _, outcome = str(stack["stack_status"]).partition("_")
    if outcome != "IN_PROGRESS":
        return one_stack(name, stacks, answer)
    name, id = str(stack["stack_name"]), str(stack["id"])
    since = str(stack["updated_time"] or "") if action not in ("CREATE", "DELETE") else ""
    rows = stacks.resources(name, id) if action != "CREATE" else []
    operation = Operation(name, id, beginning(action, rows, since=since), fresh=True)
    outcome_of = watched(stacks, operation, answer.view(f"{action} {name}"), waiting.seconds)
    code, document = Report(stacks, answer).told(outcome_of)
    answer.give(document)
    return code


def _existing(name: str, stacks: Stacks) -> Json:
    found = stacks.find(name)
    if found is None:
        raise NotFound("stack", name)
    return found


def _state(status: str) -> State:
    doing, _, outcome = status.partition("_")
    return State.WAITING if doing == "INIT" else _LOOKS.get(outcome, State.WAITING)


def _line(stack: Json) -> tuple[str, tuple[str, ...]]:
    status = str(stack["stack_status"])
    state = _state(status)
    changed = _changed(stack)
    return STYLES[state], (str(state), str(stack["stack_name"]), status, changed, str(stack["id"]))


def _listed(stack: Json) -> Json:
    told = identity(str(stack["stack_name"]), str(stack["id"]), stack)
    return {**told, "changed": _changed(stack)}


def _changed(stack: Json) -> str:
    return str(stack.get("updated_time") or stack.get("creation_time") or "")


def _row(item: Item, blamed: Container[Key]) -> tuple[str, tuple[str, ...]]:
    state = _state(item.status)
    indent = "  " * (len(item.key) - 1)
    text = note(item, {}, blamed) if state is State.FAILED else item.status
    return STYLES[state], (f"  {state}", f"{indent}{item.name}", short(item.type), text)


def _resource(item: Item) -> Json:
    return {
        "path": item.path,
        "type": item.type,
        "status": item.status,
        "reason": item.reason,
    }
