"""``deploy``, ``delete``, ``status`` and ``events``: how they are read from the command line.

Rule: what is slow to import waits until a command runs; an error is a line on standard error and
an exit code (:mod:`stoker.cli.codes`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from stoker.cli.complaint import complain
from stoker.cli.options import DeployOptions, Output, Target, Waiting
from stoker.errors import Invalid, StokerError, bad_request

if TYPE_CHECKING:
    from stoker.cli.answer import Answer
    from stoker.cli.session import Connect
    from stoker.cli.stacks import Stacks

    Work = Callable[[Stacks, Answer], int]

Cloud = Annotated[
    str | None,
    typer.Option(
        "--os-cloud",
        "--cloud",
        metavar="NAME",
        help="The cloud in clouds.yaml; OS_CLOUD or OS_AUTH_URL … otherwise.",
    ),
]
Region = Annotated[
    str | None, typer.Option("--os-region-name", metavar="NAME", help="The cloud's region.")
]
Form = Annotated[Output, typer.Option("--output", "-o", help="Text for people, or JSON.")]
Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Watch it to its end, or return at once.")
]
MaxWait = Annotated[
    float | None,
    typer.Option(metavar="MIN", help="Watch MIN minutes at most; it goes on then (exit code 4)."),
]


def add_commands(app: typer.Typer, connect: Connect) -> None:
    """Add the commands; ``connect`` is called when one runs."""
    app.command("deploy")(_deploy_command(connect))
    app.command("delete")(_delete_command(connect))
    app.command("status")(_status_command(connect))
    app.command("events")(_events_command(connect))


def _run(connect: Connect, target: Target, work: Work) -> None:
    """Do the work and end with its exit code."""
    from stoker.cli.answer import Answer
    from stoker.cli.codes import exit_code
    from stoker.cli.stacks import Stacks

    answer = Answer(target.output)
    try:
        code = work(Stacks(connect(target.cloud, target.region)), answer)
    except StokerError as error:
        code = exit_code(error)
        answer.give({"error": {"text": str(error), "exit_code": code}})
        complain(_told(error))
    raise typer.Exit(code)


def _told(error: StokerError) -> str:
    """Return the error's text; several problems on a line each."""
    lines = str(error).splitlines()
    if isinstance(error, Invalid):
        lines = [str(problem) for problem in error.problems]
    return "\n  ".join(["", *lines]) if len(lines) > 1 else str(error)


def _deploy_command(connect: Connect) -> Callable[..., None]:
    def command(  # noqa: PLR0913 - each is an option
        name: Annotated[str, typer.Argument(metavar="NAME", help="The stack's name.")],
        *,
        template: Annotated[
            str | None, typer.Option("--template", "-t", metavar="FILE", help="A path or URL.")
        ] = None,
        environment: Annotated[
            list[str] | None,
            typer.Option(
                "--environment", "-e", metavar="FILE", help="A path or URL; the later one wins."
            ),
        ] = None,
        parameter: Annotated[
            list[str] | None,
            typer.Option(
                "--parameter",
                "-p",
                metavar="KEY=VALUE",
                help="A parameter; wins over environments. A key given twice makes a list.",
            ),
        ] = None,
        parameter_file: Annotated[
            list[str] | None,
            typer.Option(metavar="KEY=FILE", help="Its value is in FILE, beside the template."),
        ] = None,
        tags: Annotated[str | None, typer.Option(metavar="TAG,…", help="The stack's tags.")] = None,
        timeout: Annotated[
            int | None, typer.Option(min=1, metavar="MIN", help="The operation's own time-out.")
        ] = None,
        rollback: Annotated[
            bool | None,
            typer.Option(
                "--enable-rollback/--disable-rollback",
                help="Undo what fails; a new stack does not unless told, another keeps its way.",
                show_default=False,
            ),
        ] = None,
        existing: Annotated[
            bool, typer.Option("--existing", help="Keep what is not said: template, values.")
        ] = False,
        converge: Annotated[
            bool,
            typer.Option("--converge", help="Bring back what others changed or took away, too."),
        ] = False,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Only tell what would be done.")
        ] = False,
        wait: Wait = True,
        max_wait: MaxWait = None,
        cloud: Cloud = None,
        region: Region = None,
        output: Form = Output.TEXT,
    ) -> None:
        """Have the stack NAME as a template says: create it, or update it where it exists.

        It is watched until it has ended; Ctrl-C ends the watching alone. Exit codes: 0 done,
        1 the stack failed, 2 the request is wrong, 3 the cloud cannot be reached or refuses the
        account, 4 not yet ended after --max-wait, 130 Ctrl-C.
        """
        options = DeployOptions(
            name,
            template,
            tuple(environment or ()),
            tuple(parameter or ()),
            tuple(parameter_file or ()),
            tags,
            timeout,
            rollback,
            existing,
            converge,
        )

        def work(stacks: Stacks, answer: Answer) -> int:
            from stoker.cli import deploy

            if dry_run:
                return deploy.dry_run(options, stacks, answer)
            return deploy.deploy(options, Waiting(wait, max_wait), stacks, answer)

        _run(connect, Target(cloud, region, output), work)

    return command


def _delete_command(connect: Connect) -> Callable[..., None]:
    def command(
        names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Stacks.")],
        *,
        yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
        wait: Wait = True,
        max_wait: MaxWait = None,
        cloud: Cloud = None,
        region: Region = None,
        output: Form = Output.TEXT,
    ) -> None:
        """Delete stacks and everything in them; asks first, on a terminal.

        Exit codes are those of `stoker deploy`.
        """

        def work(stacks: Stacks, answer: Answer) -> int:
            from stoker.cli.delete import delete

            agree = _yes if yes else _agree
            return delete(names, Waiting(wait, max_wait), stacks, answer, agree)

        _run(connect, Target(cloud, region, output), work)

    return command


def _yes(_question: str) -> bool:
    return True


def _agree(question: str) -> bool:
    if not sys.stdin.isatty():
        raise bad_request("there is no terminal to ask on: say --yes")
    return typer.confirm(question, err=True)


def _status_command(connect: Connect) -> Callable[..., None]:
    def command(
        name: Annotated[
            str | None, typer.Argument(metavar="[NAME]", help="A stack; all of them otherwise.")
        ] = None,
        *,
        follow: Annotated[
            bool, typer.Option("--follow", "-f", help="Watch what is under way to its end.")
        ] = False,
        max_wait: MaxWait = None,
        cloud: Cloud = None,
        region: Region = None,
        output: Form = Output.TEXT,
    ) -> None:
        """Show all stacks, or one with its resources and outputs (exit code 1: it failed)."""

        def work(stacks: Stacks, answer: Answer) -> int:
            from stoker.cli import status

            if name is None:
                return status.all_stacks(stacks, answer)
            if follow:
                return status.followed(name, Waiting(minutes=max_wait), stacks, answer)
            return status.one_stack(name, stacks, answer)

        _run(connect, Target(cloud, region, output), work)

    return command


def _events_command(connect: Connect) -> Callable[..., None]:
    def command(
        name: Annotated[str, typer.Argument(metavar="NAME", help="A stack.")],
        *,
        follow: Annotated[
            bool, typer.Option("--follow", "-f", help="Go on until the stack is gone, or Ctrl-C.")
        ] = False,
        cloud: Cloud = None,
        region: Region = None,
        output: Form = Output.TEXT,
    ) -> None:
        """Show what has happened to a stack and all in it, oldest first.

        With `--follow` and JSON, each event is a document on a line of its own.
        """

        def work(stacks: Stacks, answer: Answer) -> int:
            from stoker.cli import history

            return (history.tail if follow else history.events)(name, stacks, answer)

        _run(connect, Target(cloud, region, output), work)

    return command
