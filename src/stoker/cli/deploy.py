"""``stoker deploy``: have a stack as a template says, new or changed.

Rule: everything is read and checked here before anything is asked of the cloud.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from stoker.cli.cause import place_in_text
from stoker.cli.codes import DONE
from stoker.cli.gather import gathered
from stoker.cli.operation import Operation
from stoker.cli.preview import preview
from stoker.cli.progress import Progress, beginning
from stoker.cli.report import Report, identity
from stoker.cli.request import to_create, to_update, wanted
from stoker.cli.watch import watched
from stoker.errors import CloudError, NotFound, bad_request

if TYPE_CHECKING:
    from stoker.cli.answer import Answer
    from stoker.cli.gather import Gathered
    from stoker.cli.options import DeployOptions, Waiting
    from stoker.cli.session import Json
    from stoker.cli.stacks import Stacks


def deploy(options: DeployOptions, waiting: Waiting, stacks: Stacks, answer: Answer) -> int:
    """Create the stack, or update it where it exists; return the exit code."""
    source = _source(options)
    body = wanted(options, source)
    try:
        operation = _asked(options, body, stacks)
    except CloudError as error:
        raise _placed(error, source) from error
    if not waiting.wanted:
        return _not_waited(operation, stacks, answer)
    title = f"{operation.action} {operation.name}"
    outcome = watched(stacks, operation, answer.view(title), waiting.seconds)
    code, document = Report(stacks, answer, source).told(outcome)
    answer.give(document)
    return code


def dry_run(options: DeployOptions, stacks: Stacks, answer: Answer) -> int:
    """Show what a deploy would do, where the service can tell; return the exit code."""
    source = _source(options)
    body = wanted(options, source)
    try:
        changes = _previewed(options, body, stacks)
    except CloudError as error:
        raise _placed(error, source) from error
    return preview(changes, answer)


def _previewed(options: DeployOptions, body: Json, stacks: Stacks) -> Json:
    found = _found(options, stacks)
    if found is None:
        return {"added": stacks.preview_create(to_create(options, body))}
    name, id = str(found["stack_name"]), str(found["id"])
    return stacks.preview_update(name, id, to_update(options, body), existing=options.existing)


def _source(options: DeployOptions) -> Gathered:
    if options.template is None and not options.existing:
        text = "name a template with --template, or keep the stack's own with --existing"
        raise bad_request(text)
    return gathered(options.template, options.environments)


def _found(options: DeployOptions, stacks: Stacks) -> Json | None:
    found = stacks.find(options.name)
    if found is None and options.template is None:
        raise NotFound("stack", options.name)
    return found


def _asked(options: DeployOptions, body: Json, stacks: Stacks) -> Operation:
    found = _found(options, stacks)
    if found is None:
        id = stacks.create(to_create(options, body))
        return Operation(options.name, id, Progress("CREATE", looked=0.0), fresh=True)
    name, id = str(found["stack_name"]), str(found["id"])
    operation = Operation(
        name, id, beginning("UPDATE", stacks.resources(name, id)), stacks.last_event(name, id)
    )
    stacks.update(name, id, to_update(options, body), existing=options.existing)
    return operation


def _not_waited(operation: Operation, stacks: Stacks, answer: Answer) -> int:
    stack = stacks.stack(operation.name, operation.id)
    answer.say(f"{operation.name} is {stack['stack_status']}; id {operation.id}")
    told = identity(operation.name, operation.id, stack)
    answer.give({"stack": told, "action": operation.action})
    return DONE


def _placed(error: CloudError, source: Gathered) -> CloudError:
    """Return the error with the place in the template that each line of its text speaks of."""
    if error.status != HTTPStatus.BAD_REQUEST:
        return error
    text = "\n".join(_line_placed(line, source) for line in str(error).splitlines())
    return CloudError(text, service=error.service, status=error.status)


def _line_placed(line: str, source: Gathered) -> str:
    place = place_in_text(line, source)
    return line if place is None or str(place) in line else f"{line} ({place})"
