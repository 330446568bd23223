"""Child stacks as their parents see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.children import ToTheEnd
from stoker.engine.source import Source
from stoker.store import tables as t
from stoker.store.goal import Moved
from tests.engine.house import House
from tests.engine.keeping import KeepingThings

if TYPE_CHECKING:
    from stoker.store.database import Database

GROUP: dict[str, Any] = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 1, "resource_def": {"type": "T::Thing"}},
}


def test_a_child_that_is_changed_again_while_its_end_is_read_is_read_anew(
    database: Database,
) -> None:
    types = KeepingThings()
    house = House(database, types=types)
    house.engine.start()
    try:
        assert house.ended(house.create(g=GROUP)) == "CREATE_COMPLETE"
    finally:
        house.engine.stop()
    member = house.rows()["0"]

    def read() -> Any:
        return ToTheEnd(Source(database), types, member.stack_id, strict=True)["refs_map"]

    assert read() == {"0": member.physical_id}
    with database.write() as connection:  # as a row is that takes another one's place
        row = t.resource.update().where(t.resource.c.id == member.id)
        connection.execute(row.values(action="INIT", physical_id=None))
    with pytest.raises(Moved):
        read()
