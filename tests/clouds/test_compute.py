from __future__ import annotations

from typing import Any

from tests.clouds.wire import wired


def test_zones_are_told_by_name_whether_they_can_be_used_or_not() -> None:
    def answers(_method: str, path: str, _request: Any) -> Any:
        if "os-availability-zone" not in path:
            return 200, {"version": {"version": "2.90"}}
        north = {"zoneName": "north", "zoneState": {"available": True}, "hosts": None}
        south = {"zoneName": "south", "zoneState": {"available": False}, "hosts": None}
        return 200, {"availabilityZoneInfo": [north, south]}

    cloud, wire = wired(answers)
    assert cloud.compute.zones() == ("north", "south")
    assert wire.requests[-1].method == "GET"
