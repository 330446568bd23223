"""What a connection is asked by something that is done on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable


def asked_by(connection: sa.Connection, act: Callable[[], object]) -> list[tuple[str, Any]]:
    """Do it, and return the statements with their parameters."""
    asked: list[tuple[str, Any]] = []

    def note(_c: Any, _k: Any, statement: str, parameters: Any, _x: Any, _m: bool) -> None:  # noqa: FBT001 - the library's
        asked.append((statement, parameters))

    sa.event.listen(connection, "before_cursor_execute", note)
    act()
    sa.event.remove(connection, "before_cursor_execute", note)
    return asked
