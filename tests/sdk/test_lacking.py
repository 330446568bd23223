from __future__ import annotations

import pytest

from stoker.resources.index import TABLE
from stoker.sdk.lacking import lacking


def test_a_type_of_a_service_that_has_none_here_is_told_with_its_service() -> None:
    assert lacking("OS::Manila::Share") == (
        "HEAT-E99001 Service manila is not available for resource type OS::Manila::Share,"
        " reason: there are no types of that service here yet"
    )


@pytest.mark.parametrize("name", ["OS::Manila", "OS::Nova::Gone", "My::Manila::Share", ""])
def test_any_other_name_is_merely_unknown(name: str) -> None:
    assert lacking(name) is None


def test_no_type_that_is_there_is_of_such_a_service() -> None:
    assert [name for name in TABLE if lacking(name)] == []
