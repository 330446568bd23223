"""``stoker demo``: one stack's life, told while it happens, and nothing left of it.

Rule: it uses what anybody could: ``stoker serve``, its ``clouds.yaml`` and the API.
"""

from __future__ import annotations

import re
import shlex
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
from stoker.cli.endpoint import Endpoint
from stoker.cli.gather import gathered
from stoker.cli.objects import objects, objects_before
from stoker.cli.operation import Operation, Outcome
from stoker.cli.options import DeployOptions
from stoker.cli.progress import Progress, State, beginning
from stoker.cli.request import to_create, wanted
from stoker.cli.screen import elapsed
from stoker.cli.stacks import Stacks
from stoker.cli.view import view_on
from stoker.cli.watch import follow
from stoker.errors import NotFound, StokerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.cli.account import Account
    from stoker.cli.objects import Objects
    from stoker.cli.options import DemoOptions

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
EXAMPLE = EXAMPLES / "three-tier.yaml"
_NO_DESCRIPTION = "No description given"  # what the API says where a template says nothing
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}")
LEFT_SECONDS = 15.0
LOOK_SECONDS = 0.2
MOST_SECONDS = 600.0
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
            story.say(f"ready after {elapsed(time.monotonic() - begun)}")
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

    def say(self, text: str, style: str = "") -> None:
        """Print a line as it is."""
        line = f"  {text}".rstrip()
        self._console.print(line, style=style or None, markup=False, soft_wrap=True)

    def live_through(self, template: Path, who: Account) -> None:
        """Create the stack, show what it gives, delete it, and look that nothing is left."""
        stacks, name = Stacks(Endpoint(who)), stack_name(template)
        before = objects_before(who)
        self.chapter(f"Creating a stack from {shortest(template)}")
        id = stacks.create(_body(name, template))
        created = self._followed(
            stacks, Operation(name, id, Progress("CREATE", looked=0.0), fresh=True)
        )
        made = len(objects(who) - before)
        self._over(created, f"{created.progress.count(State.DONE)} resources, {made} objects")
        self.chapter("Its outputs")
        self._outputs(stacks.stack(name, id, outputs=True).get("outputs") or [])
        self.chapter("Deleting the stack")
        start = beginning("DELETE", stacks.resources(name, id))
        marker = stacks.last_event(name, id)
        stacks.delete(name, id)
        deleted = self._followed(stacks, Operation(name, id, start, marker))
        _await_nothing_left(who, before)
        self._over(deleted, "the cloud holds nothing of it any more")

    def _followed(self, stacks: Stacks, operation: Operation) -> Outcome:
        view = view_on(self._console, f"{operation.action} {operation.name}")
        outcome = follow(stacks, operation, view, MOST_SECONDS)
        if not outcome.is_good:
            reason = outcome.stack["stack_status_reason"]
            raise Failed(f"stack {operation.name} is {outcome.status}: {reason}")
        return outcome

    def _over(self, outcome: Outcome, told: str) -> None:
        status, seconds = outcome.status, elapsed(outcome.seconds)
        self.say(f"{status} after {seconds}: {told}", "green")

    def _outputs(self, outputs: list[dict[str, Any]]) -> None:
        width = max((len(each["output_key"]) for each in outputs), default=0)
        for each in outputs:
            value = str(each["output_value"]).strip().replace("\n", f"\n  {'':{width}}  ")
            self.say(f"{each['output_key']:{width}}  {value}")
            if each.get("description") not in (None, "", _NO_DESCRIPTION):
                self.say(f"{'':{width}}  {each['description']}", "dim")

    def say_next(self, template: Path) -> None:
        """Print what to try now."""
        self.chapter("What to try next")
        for line in following(template):
            self.say(line)


def _body(name: str, template: Path) -> dict[str, Any]:
    options = DeployOptions(name, str(template))
    return to_create(options, wanted(options, gathered(options.template)))


def following(template: Path) -> list[str]:
    """Return the lines that tell how to do the same by hand."""
    here = Path(sys.executable).parent
    stoker, client = (shlex.quote(shortest(here / name)) for name in ("stoker", "openstack"))
    name, file = stack_name(template), shlex.quote(shortest(template))
    return [
        f"{stoker} serve",
        "  runs the same until Ctrl-C; in another terminal, export what it says, and:",
        "",
        f"{stoker} deploy {name} -t {file}",
        *([f"{stoker} deploy {name} --existing -p volume_size=2"] if template == EXAMPLE else []),
        f"{stoker} status {name}",
        f"{stoker} delete {name}",
        "",
        "or the same with the OpenStack client:",
        f"{client} stack create --wait -t {file} {name}",
        "",
        f"{shortest(EXAMPLES / 'README.md')} has more templates to try.",
    ]


def stack_name(template: Path) -> str:
    """Return the file's name, where a stack can be called so."""
    return template.stem if _NAME.fullmatch(template.stem) else "demo"


def shortest(path: Path) -> str:
    """Return the path as seen from the working directory, where it is below that."""
    path, here = path.absolute(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _await_nothing_left(who: Account, before: Objects) -> None:
    """Return when all is as before; the engine takes its trust back soon after the delete."""
    until = time.monotonic() + LEFT_SECONDS
    while left := objects(who) - before:
        if time.monotonic() > until:
            names = ", ".join(sorted(f"{kind} {id}" for kind, id in left))
            raise Failed(f"the cloud still holds something of the stack: {names}")
        time.sleep(LOOK_SECONDS)
