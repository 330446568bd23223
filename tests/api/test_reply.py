from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from stoker.api.reply import rendered
from stoker.errors import Bug
from stoker.usecases.moment import moment

MOMENTS = (
    datetime(2026, 3, 4, 5, 6, 7, 890123, UTC),
    datetime(2026, 3, 4, 5, 6, 7, 0, UTC),
    datetime(999, 12, 31, 23, 59, 59, 999999, UTC),
)


@pytest.mark.parametrize("time", MOMENTS)
@pytest.mark.parametrize("beside", [None, 2**70, "\ud800"])
def test_moments_are_written_in_one_way_whatever_stands_beside_them(
    time: datetime, beside: Any
) -> None:
    said = json.loads(rendered({"time": time, "beside": beside}))
    assert said == {"time": moment(time), "beside": beside}


def test_what_json_has_no_word_for_is_a_fault_of_this_program() -> None:
    with pytest.raises(Bug, match="holds a set"):
        rendered({"what": {1}})
