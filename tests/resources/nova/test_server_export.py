from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Invalid
from stoker.resources.nova.server_export import stored, told

OURS = {"ports": {"0": "p0", "2": "p2"}}


def test_an_export_tells_ports_in_our_words_and_in_heats() -> None:
    assert told(OURS) == {**OURS, "internal_ports": '[{"id": "p0"}, {"id": "p2"}]'}
    assert told({"ports": {}}) == {}
    assert stored(told(OURS)) == OURS


def test_ports_are_read_from_an_export_of_heats() -> None:
    assert stored({"internal_ports": '[{"id": "a"}, {"id": "b"}]'}) == {
        "ports": {"0": "a", "1": "b"}
    }
    assert stored({"internal_ports": "", "other": "x"}) == {"other": "x"}


@pytest.mark.parametrize(
    "data",
    [
        {"internal_ports": "{"},
        {"internal_ports": "[1]"},
        {"internal_ports": '[{"name": "x"}]'},
        {"internal_ports": 7},
        {"ports": ["a"]},
        {"ports": {"0": 1}},
    ],
)
def test_what_does_not_tell_of_ports_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="does not tell of ports"):
        stored(data)
