"""The command line: what can be asked, with its help, and how errors are told.

Rule: a user's error is one line on standard error that says what to do, never a traceback.
Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 taken (a port, the state directory);
commands that speak to a cloud have those of :mod:`stoker.cli.codes`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from stoker import __version__
from stoker.cli.commands import add_commands
from stoker.cli.complaint import complain
from stoker.cli.lint_commands import Check, add_lint
from stoker.cli.options import DemoOptions, Serve, ServeOptions
from stoker.cli.session import Connect
from stoker.errors import Conflict, StokerError

FAILED = 1
TAKEN = 3
_PORT = {"min": 0, "max": 65535, "metavar": "PORT"}


def default_state(cloud: str | None) -> Path:
    """Return where ``serve`` keeps its state unless told otherwise: one place a cloud."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base, "stoker" if cloud is None else f"stoker-{quote(cloud, safe='')}")


def program(serve: Serve, command: Sequence[str], connect: Connect, check: Check) -> typer.Typer:
    """Return the command line; ``command`` is how to start this program in another process."""
    app = typer.Typer(
        name="stoker",
        help="An orchestrator for OpenStack clouds, compatible with Heat.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.command("serve")(_serve_command(serve))
    app.command("demo")(_demo_command(command))
    add_commands(app, connect)
    add_lint(app, check)
    app.command("version")(version)
    return app


def run(app: typer.Typer) -> None:
    """Run the command line and end the process with its exit code."""
    try:
        app()
    except Conflict as error:
        _fail(error, TAKEN)
    except StokerError as error:
        _fail(error, FAILED)


def _fail(error: StokerError, status: int) -> None:
    complain(str(error))
    sys.exit(status)


def version() -> None:
    """Print the version."""
    sys.stdout.write(f"stoker {__version__}\n")


def _serve_command(serve: Serve) -> Callable[..., None]:
    def command(
        *,
        cloud: Annotated[
            str | None,
            typer.Option(
                metavar="NAME", help="Work as the account NAME of clouds.yaml, at its cloud."
            ),
        ] = None,
        state: Annotated[
            Path | None,
            typer.Option(
                envvar="STOKER_STATE",
                metavar="DIR",
                show_default="~/.local/state/stoker, or stoker-NAME beside it for a cloud",
                help="Keep everything that must be remembered in DIR.",
            ),
        ] = None,
        port: Annotated[
            int, typer.Option(envvar="STOKER_PORT", help="Port of the API.", **_PORT)
        ] = 8004,
        cfn_port: Annotated[
            int, typer.Option(envvar="STOKER_CFN_PORT", help="Port of the CFN API.", **_PORT)
        ] = 8000,
        devcloud_port: Annotated[
            int, typer.Option(envvar="STOKER_DEVCLOUD_PORT", help="The cloud's port.", **_PORT)
        ] = 5000,
        plugin_dir: Annotated[
            list[Path] | None,
            typer.Option(metavar="DIR", help="Take up the plugins for Heat in DIR (repeatable)."),
        ] = None,
        until_eof: Annotated[bool, typer.Option("--until-eof", hidden=True)] = False,
    ) -> None:
        """Run API and engine on 127.0.0.1 until Ctrl-C, beside a small OpenStack of their own.

        With `--cloud NAME` they work at that cloud instead, as that account and for it alone.

        A port of 0 takes a free one, and the same one again at the next start. Clients find
        their way with DIR/clouds.yaml. Started again on the same DIR, Stoker goes on where it
        ended, whatever ended it.
        """
        serve(
            ServeOptions(
                state or default_state(cloud),
                port,
                cfn_port,
                devcloud_port,
                until_eof,
                tuple(plugin_dir or ()),
                cloud,
            )
        )

    return command


def _demo_command(start: Sequence[str]) -> Callable[..., None]:
    def command(
        template: Annotated[
            Path | None,
            typer.Option("--template", "-t", metavar="FILE", help="Deploy FILE, not the example."),
        ] = None,
    ) -> None:
        """Bring a cloud and Stoker up, deploy an example, watch it, and take it all away again.

        Nothing is left behind: the state is in a temporary directory, the ports are free ones.
        """
        from stoker.cli.demo import demo

        demo(DemoOptions(template), start)

    return command
