"""All attributes of a resource, asked for by its name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.resources.index import Index
from stoker.usecases.stacks import CreateStack, Goal
from tests.engine.house import House
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from stoker.store.database import Database


@pytest.mark.parametrize("resource", ["word", ["word"]], ids=str)
def test_another_resource_and_an_output_get_them(database: Database, resource: Any) -> None:
    house = House(database, types=Index())
    house.engine.start()
    whole = {"get_attr": resource}
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {
            "word": {"type": "OS::Heat::RandomString", "properties": {"length": 5}},
            "copy": {"type": "OS::Heat::Value", "properties": {"value": whole}},
        },
        "outputs": {"word": {"value": whole}, "copy": {"value": {"get_attr": ["copy", "value"]}}},
    }
    ref = house.stacks.create(ANN, CreateStack("s", Goal(template)))
    try:
        assert house.ended(ref) == "CREATE_COMPLETE"
    finally:
        house.engine.stop()
    shown = {each.key: each.value for each in house.stacks.show(ANN, ref).outputs or ()}
    assert shown["word"] == shown["copy"]
    assert len(shown["word"]["value"]) == 5
