"""Software configs and deployments as rows, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from stoker.store import software
from stoker.store.paging import Page
from stoker.store.software import ConfigRow, DeploymentRow
from tests.store.traversing import Player, good
from tests.store.world import START

if TYPE_CHECKING:
    from stoker.store.database import Database

CONFIG = ConfigRow("c1", "p1", "setup", "script", START, b"sealed")
DEPLOYMENT = DeploymentRow(
    id="d1",
    project_id="p1",
    stack_user_project_id="users",
    config_id="c1",
    server_id="s1",
    input_values=b"sealed",
    output_values=None,
    action="CREATE",
    status="",
    status_reason="",
    created_at=START,
    updated_at=None,
)
PAGE = Page(sort_keys=("created_at",))


def test_rows_are_read_as_they_were_written(database: Database) -> None:
    with database.write() as connection:
        software.add_config(connection, CONFIG)
        software.add_deployment(connection, DEPLOYMENT)
    with database.read() as connection:
        assert software.config(connection, "c1") == CONFIG
        assert software.deployment(connection, "d1") == DEPLOYMENT
        assert [each.config for each in software.configs(connection, "p1", PAGE)] == [None]
        assert software.configs(connection, "p2", PAGE) == []
        assert software.deployments(connection, "users", "s1") == [DEPLOYMENT]
        assert software.configs_on(connection, "p1", "s1") == [CONFIG]
        assert software.configs_on(connection, "p2", "s1") == []
        assert software.configs_on(connection, None, "s1") == [CONFIG]


def test_a_change_tells_whether_there_was_anything(database: Database) -> None:
    with database.write() as connection:
        software.add_deployment(connection, DEPLOYMENT)
        assert software.change_deployment(connection, "d1", {"status": "COMPLETE"}, START)
        assert software.change_deployment(connection, "d1", {"status": "COMPLETE"}, START)
        assert not software.change_deployment(connection, "d2", {"status": "COMPLETE"}, START)


def test_no_config_goes_that_is_being_deployed(database: Database) -> None:
    """Both at once, again and again: the deployment is of a config, or is refused."""
    for number in range(10):
        _both_at_once(database, str(number))
    with database.read() as connection:
        left = software.configs(connection, "p1", PAGE)
        deployed = software.deployments(connection, "p1", None)
    assert {each.config_id for each in deployed} == {each.id for each in left}


def _both_at_once(database: Database, number: str) -> None:
    with database.write() as connection:
        row = ConfigRow(number, "p1", "", "", START, b"")
        software.add_config(connection, row)
    barrier = Barrier(2)

    def deploy() -> None:
        barrier.wait()
        with database.write() as connection:
            if software.hold_config(connection, number) is not None:
                values = {name: getattr(DEPLOYMENT, name) for name in DeploymentRow.__slots__}
                row = DeploymentRow(**values | {"id": f"d{number}", "config_id": number})
                software.add_deployment(connection, row)

    def delete() -> None:
        barrier.wait()
        with database.write() as connection:
            held = software.hold_config(connection, number) is not None
            if held and not software.is_deployed(connection, number):
                software.delete_config(connection, number)

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(deploy), pool.submit(delete)]:
            future.result()


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def there(database: Database) -> list[str]:
    with database.read() as connection:
        return [each.id for each in software.configs(connection, None, PAGE)]


def test_a_config_is_kept_with_the_result_that_tells_of_it_and_goes_with_the_resource(
    database: Database, player: Player
) -> None:
    op = player.create({"a": []})
    result = replace(good(player.turn()["a"], physical_id="c1"), config=CONFIG)
    player.turn(result, room=0)
    assert there(database) == ["c1"]
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    gone = replace(good(player.turn()["a"]), gone=True, unkept="c1")
    player.turn(gone, room=0)
    assert there(database) == []


def test_a_superseded_result_keeps_its_config_for_its_id_is_recorded(
    database: Database, player: Player
) -> None:
    op = player.create({"a": []})
    claim = player.turn()["a"]
    player.begin(player.next(op, {"+a": []}))
    player.turn(replace(good(claim, physical_id="c1"), config=CONFIG), room=0)
    assert [row.physical_id for row in player.resources()] == there(database) == ["c1"]


def test_a_fenced_result_keeps_none(database: Database, player: Player) -> None:
    player.create({"a": []})
    claim = player.turn()["a"]
    result = replace(good(claim, physical_id="c1"), config=CONFIG)
    player.turn(result, engine="e2", room=0)
    assert there(database) == []


def test_a_config_that_a_deployment_uses_outlives_its_resource(
    database: Database, player: Player
) -> None:
    op = player.create({"a": []})
    player.turn(replace(good(player.turn()["a"], physical_id="c1"), config=CONFIG), room=0)
    with database.write() as connection:
        software.add_deployment(connection, DEPLOYMENT)
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    player.turn(replace(good(player.turn()["a"]), gone=True, unkept="c1"), room=0)
    assert there(database) == ["c1"]
