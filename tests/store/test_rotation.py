"""Another key for everything, while others read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import rotation
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.rotation import check_key, rotate, sealed_columns, sealed_tables
from stoker.store.seal import KEY_BYTES, Sealer, WrongKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.store.world import World

OLD, NEW = b"k" * KEY_BYTES, b"n" * KEY_BYTES


@pytest.fixture
def anew(database: Database) -> Iterator[Database]:
    """Give the same database to who has the new key, and knows the old one."""
    url = database.engine.url.render_as_string(hide_password=False)
    found = Database(url, Sealer(NEW, [OLD]))
    yield found
    found.close()


def sealed(database: Database) -> list[tuple[str, bytes]]:
    """Return everything that is sealed, with the column's name."""
    with database.read() as connection:
        return [
            (f"{table.name}.{column.name}", value)
            for table in sealed_tables()
            for column in sealed_columns(table)
            for value in connection.scalars(sa.select(column).where(column.is_not(None)))
        ]


def filled(world: World) -> None:
    """Write rows with sealed values, of which some tables have more than a batch."""
    for i in range(3):
        stack_id = world.stack(f"s{i}")
        for j in range(4):
            row = world.resource(stack_id, f"r{j}")
            for key in "abc":
                name = f"{key}{i}"
                world.insert(t.resource_data, resource_id=row, key=name, value=world.seal(name))
        world.event(stack_id)


def files(world: World, sealer: Sealer, value: Any) -> None:
    digest = sealer.digest(value)
    world.insert(t.raw_template_files, digest=digest, files=sealer.seal(value))


def test_everything_is_sealed_with_the_new_key_and_says_what_it_said(
    database: Database, world: World, anew: Database
) -> None:
    filled(world)
    files(world, Sealer(OLD), {"a": "1"})
    before = [(name, Sealer(OLD).open(value)) for name, value in sealed(database)]
    assert rotate(anew, batch=5) == len(before)
    after = [(name, Sealer(NEW).open(value)) for name, value in sealed(database)]
    assert sorted(map(repr, after)) == sorted(map(repr, before))
    assert rotate(anew, batch=5) == 0
    with database.read() as connection:
        assert connection.scalar(sa.select(t.raw_template_files.c.digest)) == Sealer(NEW).digest(
            {"a": "1"}
        )


def test_files_that_are_stored_under_both_keys_stay_two(
    database: Database, world: World, anew: Database
) -> None:
    for key in (OLD, NEW):
        files(world, Sealer(key), {"a": "1"})
    assert rotate(anew) == 1
    assert [Sealer(NEW).open(value) for _, value in sealed(database)] == [{"a": "1"}] * 2


def test_what_another_has_written_meanwhile_is_left_and_found_by_the_next_pass(
    database: Database, world: World, anew: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack_id = world.stack("s")
    column = t.stack.c.parameters
    late = Sealer(OLD).seal({"late": "1"})
    batches = rotation._batches  # noqa: SLF001 - the moment between a look and a write

    def overtaken(database: Database, table: sa.Table, batch: int) -> Iterator[Any]:
        for rows in batches(database, table, batch):
            if table is t.stack:
                with database.write() as connection:
                    connection.execute(sa.update(t.stack).values(parameters=late))
            yield rows

    with monkeypatch.context() as patch:
        patch.setattr(rotation, "_batches", overtaken)
        rotate(anew)
    query = sa.select(column).where(t.stack.c.id == stack_id)
    with database.read() as connection:
        assert connection.scalar(query) == late
    assert rotate(anew) == 1
    with database.read() as connection:
        assert Sealer(NEW).open(connection.execute(query).scalar_one()) == {"late": "1"}


def test_a_key_that_does_not_fit_is_told(database: Database, world: World) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    stranger = Database(url, Sealer(NEW))
    check_key(stranger)  # nothing is sealed yet
    world.stack("s")
    check_key(database)
    with pytest.raises(WrongKey, match="auth_encryption_key"):
        check_key(stranger)
    with pytest.raises(WrongKey):
        rotate(stranger)
    stranger.close()
