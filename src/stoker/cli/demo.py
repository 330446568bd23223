"""``stoker demo``: one stack's life, told while it happens, and nothing left of it.

Rule: it uses what anybody could: ``stoker serve``, its ``clouds.yaml`` and the API.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from stoker.cli.account import account
from stoker.cli.child import served
from stoker.cli.endpoint import Endpoint, exchange
from stoker.cli.operation import Operation, Outcome
from stoker.cli.progress import Progress, State, beginning
from stoker.cli.stacks import Stacks
from stoker.cli.view import view_on
from stoker.cli.watch import follow
from stoker.errors import NotFound, StokerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.cli.account import Account
    from stoker.cli.options import DemoOptions

NAME = "first"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
EXAMPLE = EXAMPLES / "first-stack.yaml"
_NO_DESCRIPTION = "No description given"  # what the API says where a template says nothing
LEFT_SECONDS = 15.0
LOOK_SECONDS = 0.2
MOST_SECONDS = 600.0
Objects = set[tuple[str, str]]
SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Failed(StokerError):
    """The story does not come to its good end."""


def demo(options: DemoOptions, start: Sequence[str]) -> None:
    """Tell the story; raises a StokerError where it does not come to its good end."""
    template = options.template or EXAMPLE
    if not template.is_file():
        raise NotFound("template", f"{template}; name one with --template")
    for each in SIGNALS:  # so that all is taken away then, too
        signal.signal(each, _end)
    story = Story(Console(highlight=False))
    with tempfile.TemporaryDirectory(prefix="stoker-demo-") as directory:
        state = Path(directory, "state")
        story.chapter("Starting Stoker and a small cloud of its own")
        begun = time.monotonic()
        with served(start, state):
            story.say(f"ready after {time.monotonic() - begun:.1f} s")
            story.live_through(template, account(state / "clouds.yaml", "demo"))
    story.say_next(template)


def _end(number: int, _frame: object) -> None:
    sys.exit(128 + number)


class Story:
    """The demo's chapters, on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapters = 0

    def chapter(self, title: str) -> None:
        """Print the title of what comes next."""
        self._chapters += 1
        self._console.print(f"\n[bold]{self._chapters}. {escape(title)}[/bold]", soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a line as it is."""
        self._console.print(f"  {text}", markup=False, soft_wrap=True)

    def live_through(self, template: Path, who: Account) -> None:
        """Create the stack, show what it gives, delete it, and look that nothing is left."""
        endpoint = Endpoint(who)
        before = _objects_before(who)
        self.chapter(f"Creating a stack from {shortest(template)}")
        begun = time.monotonic()
        id = endpoint.create(NAME, template.read_text(encoding="utf-8"), {})
        stacks = Stacks(endpoint)
        created = self._followed(stacks, Operation(NAME, id, Progress("CREATE"), fresh=True))
        made = len(_objects(who) - before)
        self.say(
            f"CREATE_COMPLETE after {time.monotonic() - begun:.1f} s: "
            f"{created.progress.count(State.DONE)} resources, {made} objects in the cloud"
        )
        self.chapter("Its outputs")
        self._outputs(endpoint.stack(NAME, id)["outputs"])
        self.chapter("Deleting the stack")
        start = beginning("DELETE", stacks.resources(NAME, id))
        marker = stacks.last_event(NAME, id)
        endpoint.delete(NAME, id)
        self._followed(stacks, Operation(NAME, id, start, marker))
        self.say("DELETE_COMPLETE")
        _await_nothing_left(who, before)
        self.say("the cloud holds nothing of it any more")

    def _followed(self, stacks: Stacks, operation: Operation) -> Outcome:
        view = view_on(self._console, f"  {operation.action}")
        outcome = follow(stacks, operation, view, MOST_SECONDS)
        if not outcome.is_good:
            reason = outcome.stack["stack_status_reason"]
            raise Failed(f"stack {NAME} is {outcome.status}: {reason}")
        return outcome

    def _outputs(self, outputs: list[dict[str, Any]]) -> None:
        width = max((len(each["output_key"]) for each in outputs), default=0)
        for each in outputs:
            value = str(each["output_value"]).strip().replace("\n", f"\n  {'':{width}}  ")
            self.say(f"{each['output_key']:{width}}  {value}")
            if each.get("description") not in (None, "", _NO_DESCRIPTION):
                self._console.print(f"  {'':{width}}  [dim]{escape(each['description'])}[/dim]")

    def say_next(self, template: Path) -> None:
        """Print what to try now."""
        self.chapter("What to try next")
        for line in following(template):
            self.say(line)


def following(template: Path) -> list[str]:
    """Return the lines that tell how to do the same by hand."""
    here = Path(sys.executable).parent
    create = f"{shortest(here / 'openstack')} --os-cloud demo stack create --wait"
    others = [shortest(path) for path in sorted(EXAMPLES.glob("*.yaml")) if path != template]
    return [
        f"{shortest(here / 'stoker')} serve",
        "    runs the same until Ctrl-C, and tells how to use it; then, in another terminal:",
        f"{create} -t {shortest(template)} {NAME}",
        *(f"{create} -t {other} {Path(other).stem}" for other in others),
    ]


def shortest(path: Path) -> str:
    """Return the path as seen from the working directory, where it is below that."""
    path, here = path.absolute(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _objects_before(who: Account) -> Objects:
    """Return what there is before any stack; a project's default group comes with its first use."""
    token = exchange("POST", f"{who.auth_url}/auth/tokens", who.login(), {}, "identity")[1]
    headers = {"X-Auth-Token": token["X-Subject-Token"]}
    groups = f"{_origin(who)}/networking/v2.0/security-groups"
    exchange("GET", groups, None, headers, "network")
    return _objects(who)


def _objects(who: Account) -> Objects:
    """Return kind and id of all that the embedded cloud holds; it tells that without a token."""
    answer, _ = exchange("GET", f"{_origin(who)}/devcloud/objects", None, {}, "devcloud")
    return {(each["kind"], each["id"]) for each in answer["objects"]}


def _await_nothing_left(who: Account, before: Objects) -> None:
    """Return when all is as before; the engine takes its trust back soon after the delete."""
    until = time.monotonic() + LEFT_SECONDS
    while left := _objects(who) - before:
        if time.monotonic() > until:
            names = ", ".join(sorted(f"{kind} {id}" for kind, id in left))
            raise Failed(f"the cloud still holds something of the stack: {names}")
        time.sleep(LOOK_SECONDS)


def _origin(who: Account) -> str:
    return who.auth_url.partition("/identity")[0]
