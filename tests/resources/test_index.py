"""The index of types, and what every type in it must be."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from stoker.resources.index import TABLE, Index
from stoker.sdk.resource import Resource
from tests.resources.stepping import kind_of


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_name_of_the_table_leads_to_the_type_of_that_name(name: str) -> None:
    kind = kind_of(name)
    assert kind.type_name == name
    assert kind.doc
    assert "show" in kind.attributes or kind.open_attributes


def test_the_index_lists_all_names_sorted() -> None:
    assert list(Index().names()) == sorted(TABLE)


def test_an_unknown_name_gives_none_and_a_known_one_always_the_same_value() -> None:
    index = Index()
    assert index.get("OS::No::Such") is None
    assert index.get("OS::Neutron::Net") is index.get("OS::Neutron::Net")


def test_a_type_is_not_imported_before_it_is_asked_for() -> None:
    program = (
        "import sys; from stoker.resources.index import Index;"
        "index = Index(); list(index.names());"
        "before = 'stoker.resources.nova.server' in sys.modules;"
        "index.get('OS::Nova::Server');"
        "print(before, 'stoker.resources.nova.server' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


def _undocumented(kind: Resource[Any]) -> list[str]:
    props = kind.Props.properties().items()
    return [wire for wire, each in props if not each.spec.doc.endswith(".")]


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_property_and_attribute_has_a_line_of_documentation(name: str) -> None:
    kind = kind_of(name)
    assert _undocumented(kind) == []
    assert [key for key, attr in kind.attributes.items() if not attr.doc.endswith(".")] == []
