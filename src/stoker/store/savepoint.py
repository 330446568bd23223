"""A part of a transaction that may fail by a row that is there already."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection


@contextmanager
def savepoint(connection: Connection) -> Iterator[None]:
    """Undo what is done within, and nothing else, where it raises IntegrityError.

    Any other error ends the transaction, and that undoes all. To go back to the savepoint first
    would hide the error: MariaDB has none any more once it took a transaction back.
    """
    point = connection.begin_nested()
    try:
        yield
    except IntegrityError:
        point.rollback()
        raise
    point.commit()
