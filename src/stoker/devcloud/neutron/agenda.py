"""What is due at some time: servers that finish booting, or are gone.

The rule: no timers run. Whoever asks this cloud's compute or network service first settles what
has come due; that is committed by itself, before the question is answered, so that a refusal
takes nothing back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.state import schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.devcloud.cloud import Cloud

    Settler = Callable[[Cloud, str], None]

_SETTLERS: dict[str, Settler] = {}

schema(
    """CREATE TABLE IF NOT EXISTS agenda (kind TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL,
       PRIMARY KEY (kind, id)) WITHOUT ROWID"""
)
schema("CREATE INDEX IF NOT EXISTS agenda_by_time ON agenda (at)")


def settler(kind: str) -> Callable[[Settler], Settler]:
    """Have the decorated function called with the id of a ``kind`` whose time has come."""

    def add(function: Settler) -> Settler:
        _SETTLERS[kind] = function
        return function

    return add


def put(cloud: Cloud, kind: str, id: str, seconds: float) -> None:
    """Note that the object is due in ``seconds``; an older note about it is dropped."""
    sql = "INSERT OR REPLACE INTO agenda (kind, id, at) VALUES (?, ?, ?)"
    cloud.state.execute(sql, (kind, id, cloud.now() + seconds))


def drop(cloud: Cloud, kind: str, id: str) -> None:
    """Forget what is noted about an object."""
    cloud.state.execute("DELETE FROM agenda WHERE kind = ? AND id = ?", (kind, id))


def settle(cloud: Cloud) -> None:
    """Settle everything whose time has come. Call it first thing in a transaction."""
    sql = "SELECT kind, id FROM agenda WHERE at <= ? ORDER BY at"
    due = cloud.state.rows(sql, (cloud.now(),))
    if not due:
        return
    for kind, id in due:
        drop(cloud, kind, id)
        _SETTLERS[kind](cloud, id)
    cloud.state.execute("COMMIT")
