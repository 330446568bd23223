"""``lint`` and ``schema``: how they are read from the command line.

Rule: neither asks a server or a cloud; what is slow to import waits until a command runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from stoker.cli.checking import Checker
from stoker.cli.findings import Form, written
from stoker.errors import Code, Severity

Check = Callable[[Sequence[Path]], Checker]
"""Gives the checks with the types of plugins in these directories."""
FOUND = 1
_PluginDirs = Annotated[
    list[Path] | None,
    typer.Option("--plugin-dir", metavar="DIR", help="Know the plugins for Heat in DIR, too."),
]


def add_lint(app: typer.Typer, check: Check) -> None:
    """Add the commands; ``check`` is called when one runs."""
    app.command("lint")(_lint_command(check))
    app.command("schema")(_schema_command(check))


def _lint_command(check: Check) -> Callable[..., None]:
    def command(
        files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Templates.")],
        *,
        environment: Annotated[
            list[str] | None,
            typer.Option(
                "--environment", "-e", metavar="FILE", help="A path or URL; the later one wins."
            ),
        ] = None,
        form: Annotated[
            Form, typer.Option("--format", "-f", help="For people, programs or a code host.")
        ] = Form.TEXT,
        disable: Annotated[
            list[str] | None,
            typer.Option(metavar="CODE,…", help="Switch rules off (repeatable)."),
        ] = None,
        plugin_dir: _PluginDirs = None,
    ) -> None:
        """Tell all that is wrong with templates; no server and no cloud is asked.

        Nested templates are followed. A comment `# stoker: disable=CODE` switches a rule off: for
        its line, or, on a line of its own, for its file. `docs/problems.md` explains each code.
        Exit codes: 0 no errors, 1 errors, 2 the command line is wrong.
        """
        from stoker.cli.lint import lint

        off, checker = _codes(disable or ()), check(plugin_dir or ())
        report = lint(files, tuple(environment or ()), off, checker)
        sys.stdout.write(written(report, form, _width()))
        raise typer.Exit(FOUND if report.count(Severity.ERROR) else 0)

    return command


def _codes(given: Iterable[str]) -> frozenset[Code]:
    names = [name.strip() for each in given for name in each.split(",")]
    known = {each.value: each for each in Code}
    for name in names:
        if name not in known:
            text = f"{name} is no code; there are {', '.join(known)}"
            raise typer.BadParameter(text, param_hint="--disable")
    return frozenset(known[name] for name in names)


def _width() -> int | None:
    """Return how wide the terminal of standard output is; None where it is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _schema_command(check: Check) -> Callable[..., None]:
    def command(*, plugin_dir: _PluginDirs = None) -> None:
        """Print a JSON schema of HOT templates, for editors: types, properties, functions."""
        schema = check(plugin_dir or ()).schema()
        sys.stdout.write(json.dumps(schema, indent=2) + "\n")

    return command
