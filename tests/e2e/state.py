"""What a served installation has on disk, read as a stranger would: files and table rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

EXEMPT = frozenset({"key", "clouds.yaml"})
_LEFT_OUT = frozenset({"service", "alembic_version"})
"""Tables that change by themselves."""


def rows(state: Path) -> dict[str, int]:
    """Return how many rows each table of the database has."""
    uri = f"file:{state / 'stoker.db'}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {str(name) for (name,) in tables} - _LEFT_OUT
        return {
            name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608
            for name in sorted(names)
        }


def changed(state: Path, before: Mapping[str, int]) -> dict[str, int]:
    """Return by how much each table's rows are more or fewer than before. Credentials may be
    fewer: those that nothing needs any more go in their own time."""
    more = {name: count - before[name] for name, count in rows(state).items()}
    return {
        name: count
        for name, count in more.items()
        if count > 0 or (count < 0 and name != "user_creds")
    }


def files(state: Path) -> dict[str, bytes]:
    """Return every file that must hold no secret, with what is in it."""
    found = (path for path in state.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in found if path.name not in EXEMPT}
