"""``stoker delete``: have stacks and all that they hold taken away.

Rule: nothing is deleted before all that is named was found, and somebody agreed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stoker.cli.codes import DONE
from stoker.cli.operation import Operation
from stoker.cli.progress import beginning
from stoker.cli.report import Report, identity
from stoker.cli.watch import watched
from stoker.errors import NotFound, bad_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.cli.answer import Answer
    from stoker.cli.options import Waiting
    from stoker.cli.session import Json
    from stoker.cli.stacks import Stacks

Agree = Callable[[str], bool]
"""Ask a question and return whether the answer is yes."""


def delete(
    names: Sequence[str], waiting: Waiting, stacks: Stacks, answer: Answer, agree: Agree
) -> int:
    """Delete the stacks at the same time and follow them; return the exit code."""
    found = _found(names, stacks)
    if not agree(f"Delete {', '.join(str(stack['stack_name']) for stack in found)}?"):
        raise bad_request("nothing was deleted")
    operations = [_asked(stack, stacks) for stack in found]
    if not waiting.wanted:
        return _not_waited(operations, answer)
    codes, documents = [], []
    for operation in operations:
        view = answer.view(f"DELETE {operation.name}")
        outcome = watched(stacks, operation, view, waiting.seconds)
        code, document = Report(stacks, answer).told(outcome)
        codes.append(code)
        documents.append(document)
    answer.give({"stacks": documents})
    return max(codes)


def _found(names: Sequence[str], stacks: Stacks) -> list[Json]:
    found = {name: stacks.find(name) for name in names}
    missing = [name for name, stack in found.items() if stack is None]
    if missing:
        raise NotFound("stack", ", ".join(missing))
    return [stack for stack in found.values() if stack is not None]


def _asked(stack: Json, stacks: Stacks) -> Operation:
    name, id = str(stack["stack_name"]), str(stack["id"])
    start = beginning("DELETE", stacks.resources(name, id))
    operation = Operation(name, id, start, stacks.last_event(name, id))
    stacks.delete(name, id)
    return operation


def _not_waited(operations: Sequence[Operation], answer: Answer) -> int:
    asked = {"stack_status": "DELETE_IN_PROGRESS", "stack_status_reason": ""}
    for each in operations:
        answer.say(f"{each.name} is being deleted; id {each.id}")
    told = [{"stack": identity(each.name, each.id, asked)} for each in operations]
    answer.give({"stacks": told})
    return DONE
