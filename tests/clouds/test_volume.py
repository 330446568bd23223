from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import CloudError
from stoker.plan.machine import PASSING
from stoker.sdk.cloud import Lookup
from stoker.sdk.fault import fault
from tests.clouds import wire as wires
from tests.clouds.wire import URL, Watch, wired


@pytest.fixture(autouse=True)
def cinder(monkeypatch: pytest.MonkeyPatch) -> None:
    services = {**wires.SERVICES, "block-storage": f"{URL}/volume/v3/p-id"}
    monkeypatch.setattr(wires, "SERVICES", services)


def answering(newest: str | None) -> Any:
    version = {"id": "v3.0", "status": "CURRENT", "links": [{"rel": "self", "href": "x"}]}
    version["links"] = [{"rel": "self", "href": f"{URL}/volume/v3/"}]
    if newest is not None:
        version |= {"version": newest, "min_version": "3.0"}

    def answers(_method: str, path: str, _request: Any) -> Any:
        if path.rstrip("/") in ("/volume/v3", "/volume"):
            return 200, {"versions": [version]}
        if "/types?" in path:
            return 200, {"volume_types": [{"id": "t", "name": "fast"}]}
        if "/types/" in path:
            return 404, {"itemNotFound": {"code": 404, "message": "Volume type not found."}}
        return 200, {"volume": {"id": "v"}}

    return answers


@pytest.mark.parametrize(
    ("newest", "asked"), [("3.71", "3.70"), ("3.50", "3.50"), (None, "3.0"), ("", "3.0")]
)
def test_calls_are_made_at_the_highest_version_that_both_sides_know(
    newest: str | None, asked: str
) -> None:
    cloud, wire = wired(answering(newest))
    cloud.volume.get("/volumes/v")
    cloud.volume.get("/volumes/w")
    sent = [
        r.headers.get("OpenStack-API-Version") for r in wire.requests if "/volumes/" in str(r.url)
    ]
    assert sent == [f"volume {asked}"] * 2
    assert len([path for _, path in wire.sent if "p-id" not in path]) == 1, "asked once"


def test_a_cinder_that_does_not_tell_its_versions_now_is_no_old_one() -> None:
    answers, down = answering("3.71"), [True]

    def at_times(method: str, path: str, request: Any) -> Any:
        if down[0] and "p-id" not in path:
            return 503, {}
        return answers(method, path, request)

    cloud, wire = wired(at_times)
    with pytest.raises(CloudError) as refused:
        cloud.volume.get("/volumes/v")
    assert fault(refused.value) in PASSING
    down[0] = False
    cloud.volume.get("/volumes/v")
    (sent,) = [r for r in wire.requests if "/volumes/" in str(r.url)]
    assert sent.headers["OpenStack-API-Version"] == "volume 3.70"


def test_a_type_is_found_by_its_name_also_where_it_is_private() -> None:
    cloud, wire = wired(answering("3.71"))
    assert cloud.volume.find("vtype", "fast") == "t"
    assert any("is_public=none" in path for _, path in wire.sent)


def test_an_image_is_patched_as_glance_wants_it() -> None:
    watch = Watch()
    cloud, wire = wired(lambda *_: (200, {"id": "i"}), watch)
    changes = [{"op": "add", "path": "/a", "value": "b"}]
    assert cloud.image.patch("/images/i", changes) == {"id": "i"}
    (request,) = wire.requests
    kind = "application/openstack-images-v2.1-json-patch"
    assert (request.method, request.headers["Content-Type"]) == ("PATCH", kind)
    assert request.body == b'[{"op":"add","path":"/a","value":"b"}]'
    assert [each.split()[0] for each in watch.seen] == ["before", "after"]


def test_constraints_of_volumes_are_looked_up() -> None:
    cloud, _ = wired(answering("3.71"))
    from stoker.clouds.constraints import CloudConstraints

    lookups = [Lookup("cinder.vtype", "fast"), Lookup("cinder.vtype", "slow")]
    missing = CloudConstraints(cloud).missing(lookups)
    assert list(missing) == [lookups[1]]
