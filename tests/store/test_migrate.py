"""Migrations: they make exactly the tables that the program uses, once, whoever asks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateTable

from stoker.store.database import Database
from stoker.store.migrate import HEAD, SCRIPTS, UnknownVersion, upgrade, version
from stoker.store.tables import metadata

if TYPE_CHECKING:
    from stoker.store.seal import Sealer

INDEX_BYTES = 3072  # InnoDB's limit for one index
CHARACTER_BYTES = 4  # utf8mb4
ROW_BYTES = 65535  # of a row's columns that are stored in line


@pytest.fixture(scope="module")
def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return ScriptDirectory.from_config(config)


@pytest.fixture
def database(empty_database: Database) -> Database:
    """Give a database of this test's own, with its tables: it may change them."""
    upgrade(empty_database)
    return empty_database


def test_the_migrations_make_the_tables_of_the_program(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        different = compare_metadata(context, metadata)
    assert different == [], "a change of the tables needs a revision of its own"


def test_a_database_without_tables_has_no_version(empty_database: Database) -> None:
    assert version(empty_database) is None


def test_an_upgrade_reaches_the_head_and_a_second_one_asks_little(database: Database) -> None:
    assert version(database) == HEAD
    statements: list[str] = []
    sa.event.listen(database.engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    upgrade(database)
    assert 0 < len(statements) <= 4
    assert not [each for each in statements if each.startswith(("CREATE", "INSERT", "UPDATE"))]


def test_the_head_that_is_named_is_the_only_one_there_is(scripts: ScriptDirectory) -> None:
    assert scripts.get_heads() == [HEAD]


def test_tables_of_a_newer_program_are_left_alone(database: Database) -> None:
    with database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UnknownVersion, match="revision 9999"):
        upgrade(database)
    assert version(database) == "9999"


def test_processes_that_start_together_upgrade_once(
    empty_database: Database, sealer: Sealer
) -> None:
    url = empty_database.engine.url.render_as_string(hide_password=False)
    several = [Database(url, sealer) for _ in range(4)]
    with ThreadPoolExecutor(len(several)) as pool:
        for done in [pool.submit(upgrade, each) for each in several]:
            done.result(timeout=60)
    assert [version(each) for each in several] == [HEAD] * len(several)
    for each in several:
        each.close()


def test_an_upgrade_that_fails_leaves_nothing_behind(empty_database: Database) -> None:
    if empty_database.dialect not in ("sqlite", "postgresql"):
        pytest.skip("this database cannot take DDL back")
    with empty_database.write() as connection:
        connection.execute(sa.text("CREATE TABLE event (id INTEGER)"))
    with pytest.raises(sa.exc.DBAPIError):
        upgrade(empty_database)
    with empty_database.read() as connection:
        assert sa.inspect(connection).get_table_names() == ["event"]


def test_each_revision_can_be_taken_back(database: Database, scripts: ScriptDirectory) -> None:
    with database.write() as connection:
        context = MigrationContext.configure(connection)
        with Operations.context(context):
            for script in scripts.walk_revisions():
                script.module.downgrade()
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]


def _bytes(column: sa.Column[object]) -> int:
    kind = column.type.dialect_impl(mysql.dialect())
    length = kind.length if isinstance(kind, sa.String) else None
    return 20 if length is None else length * CHARACTER_BYTES  # a number, or a pointer to text


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_indexes_and_rows_fit_into_mariadb(table: sa.Table) -> None:
    keys = [list(table.primary_key.columns)]
    keys += [list(index.columns) for index in table.indexes]
    keys += [[column] for column in table.columns if column.unique]
    for columns in keys:
        assert sum(map(_bytes, columns)) <= INDEX_BYTES, [column.name for column in columns]
    assert sum(map(_bytes, table.columns)) <= ROW_BYTES


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_mariadb_tells_small_letters_from_capitals(scripts: ScriptDirectory, dialect: str) -> None:
    first = scripts.get_revision("0001").module
    engine = sa.create_mock_engine(f"{dialect}+pymysql://", lambda *_a, **_k: None)
    for table in first.metadata.sorted_tables:
        made = str(CreateTable(table).compile(dialect=engine.dialect))
        assert "ENGINE=InnoDB" in made
        assert "COLLATE utf8mb4_bin" in made
