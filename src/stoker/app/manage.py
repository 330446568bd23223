"""``stoker-manage``: what operators do with the database, under heat-manage's names.

Rule: what is asked is done or refused with a reason; each command may be repeated.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from stoker.app.configuration import Configuration, Sources, default_sources
from stoker.app.sample import sample_config, sample_policy
from stoker.app.service import check_version, run
from stoker.engine.settings import Settings
from stoker.errors import NotFound, StokerError
from stoker.store import engines, migrate
from stoker.store.database import Database, DatabaseError
from stoker.store.purge import forget_dead, purge
from stoker.store.rotation import rotate
from stoker.store.seal import Sealer
from stoker.store.traversal import reset

PROGRAM = "stoker-manage"
PASSES = 10
"""So often everything is gone through, while others work, before that is not why some is left."""
SHOWN = "%-36s  %-16s  %-20s  %-4s  %s\n"


class Granularity(StrEnum):
    """What an age is counted in."""

    DAYS = "days"
    HOURS = "hours"
    MINUTES = "minutes"
    SECONDS = "seconds"


_SECONDS = {
    Granularity.DAYS: 86_400,
    Granularity.HOURS: 3600,
    Granularity.MINUTES: 60,
    Granularity.SECONDS: 1,
}


def main() -> None:
    """Run the command line, and end the process."""

    def told() -> None:
        try:
            _program()()
        except DatabaseError as error:
            raise StokerError(f"the database does not answer: {error.orig}") from error

    run(PROGRAM, told)


def _program() -> typer.Typer:
    app = typer.Typer(
        name=PROGRAM,
        help="Look after Stoker's database. The names of heat-manage do as well.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_sources)
    _add_group(app, "db", "The tables.", {"sync": db_sync, "version": db_version})
    _add_group(app, "service", "The engines.", {"list": service_list, "clean": service_clean})
    _add_group(app, "key", "What seals the database.", {"rotate": key_rotate})
    _add_group(app, "config", "Options.", {"sample": sample_config})
    _add_group(app, "policy", "Who may do what.", {"sample": sample_policy})
    for name, command in (
        ("purge-deleted", purge_deleted),
        ("reset-stack-status", reset_stack_status),
    ):
        app.command(name)(command)
        app.command(name.replace("-", "_"), hidden=True)(command)
    app.command("db_sync", hidden=True)(db_sync)
    app.command("db_version", hidden=True)(db_version)
    return app


def _add_group(app: typer.Typer, name: str, text: str, commands: dict[str, object]) -> None:
    group = typer.Typer(no_args_is_help=True, help=text)
    for each, command in commands.items():
        assert callable(command)  # noqa: S101 - those above are
        group.command(each)(command)
    app.add_typer(group, name=name)


def _sources(
    context: typer.Context,
    config_file: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Options (repeatable).")
    ] = None,
    config_dir: Annotated[
        list[str] | None, typer.Option(metavar="DIR", help="Of files *.conf (repeatable).")
    ] = None,
) -> None:
    named = bool(config_file or config_dir)
    given = Sources(tuple(config_file or ()), tuple(config_dir or ()))
    context.obj = given if named else default_sources()


def db_sync(
    context: typer.Context,
    version: Annotated[
        str | None, typer.Argument(help="Only the newest is known; heat-manage takes one.")
    ] = None,
) -> None:
    """Make the tables, or change them to what this version needs."""
    if version not in (None, migrate.HEAD, "head", "heads"):
        raise StokerError(f"this version makes revision {migrate.HEAD} alone: leave the number out")
    with _database(context, any_version=True) as database:
        migrate.upgrade(database)


def db_version(context: typer.Context) -> None:
    """Print the revision that the tables are at."""
    with _database(context, any_version=True) as database:
        found = migrate.version(database)
    _say(f"{found or 'none: run `stoker-manage db sync`'}\n")


def purge_deleted(
    context: typer.Context,
    age: Annotated[int, typer.Argument(min=0, help="How long ago they were deleted.")] = 90,
    granularity: Annotated[
        Granularity, typer.Option("-g", "--granularity", help="What AGE is counted in.")
    ] = Granularity.DAYS,
    project_id: Annotated[
        str | None, typer.Option("-p", "--project-id", help="Only this project's.")
    ] = None,
    batch_size: Annotated[
        int, typer.Option("-b", "--batch_size", "--batch-size", min=1, help="At a time.")
    ] = 20,
) -> None:
    """Delete for good the stacks that were deleted long ago, and rows of engines long dead."""
    with _database(context) as database:
        before = database.now() - age * _SECONDS[granularity]
        purged = purge(database, before, project_id, batch_size)
    _say(f"{purged} deleted stacks were purged.\n")


def reset_stack_status(
    context: typer.Context,
    stack_id: Annotated[str, typer.Argument(help="The stack's id.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,  # noqa: FBT002 - Typer's way
) -> None:
    """End what goes on in a stack and those below it: IN_PROGRESS becomes FAILED.

    Nothing ever needs this to go on; it is for a stack that is to be left alone now.
    """
    if not yes:
        typer.confirm(f"Give up what goes on in stack {stack_id}?", abort=True)
    with _database(context) as database, database.write() as connection:
        if not reset(connection, stack_id, database.now()):
            raise NotFound("Stack", stack_id)
    _say("The stack's status was reset.\n")


def service_list(context: typer.Context) -> None:
    """List the engines, and those found dead and not yet cleaned up."""
    with _database(context) as database, database.read() as connection:
        rows = engines.listed(connection, 0)
        since = database.now() - Settings().dead_seconds
    _say(SHOWN % ("id", "binary", "host", "is", "last beat"))
    for row in rows:
        is_up = row.deleted_at is None and row.updated_at.timestamp() >= since
        beat = row.updated_at.isoformat(" ", "seconds")
        _say(SHOWN % (row.id, row.binary, row.host, "up" if is_up else "down", beat))


def service_clean(context: typer.Context) -> None:
    """Delete the rows of engines that were found dead."""
    with _database(context) as database, database.write() as connection:
        gone = forget_dead(connection, database.now())
    _say(f"{gone} dead engines were removed from the list.\n")


def key_rotate(context: typer.Context) -> None:
    """Seal with auth_encryption_key what [stoker] former_encryption_keys have sealed.

    Engines may be at work, if all of them know both keys. Afterwards nothing needs the old ones.
    """
    with _database(context) as database:
        anew = 0
        for _ in range(PASSES):
            found = rotate(database)
            anew += found
            if found == 0:
                _say(f"{anew} values were sealed anew; nothing needs former keys any more.\n")
                return
    raise StokerError(
        f"{anew} values were sealed anew, and some process still seals with a former key:"
        " restart those that do, and run this again"
    )


@contextmanager
def _database(context: typer.Context, *, any_version: bool = False) -> Iterator[Database]:
    configuration = Configuration(context.obj)
    sealer = Sealer(configuration.key, configuration.former_keys)
    database = Database(configuration.url, sealer)
    try:
        if not any_version:
            check_version(database)
        yield database
    finally:
        database.close()


def _say(text: str) -> None:
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
