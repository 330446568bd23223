"""The class that the description of the plugin interface prints runs as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stoker.classic.loader import load
from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password
from stoker.devcloud.nova.server_create import DOOM
from stoker.errors import CloudNotFound
from stoker.usecases.stacks import Action
from tests.classic.conftest import IMPORTS, MAPPING, written
from tests.classic.house import eventually
from tests.crash.site import SECRET

if TYPE_CHECKING:
    from stoker.classic.loader import Plugins
    from tests.classic.house import House
    from tests.crash.site import Site

FLAVOR = "1"


@pytest.fixture
def plugins(plugin_dir: Path, listing: str) -> Plugins:
    """Return the listing, with nothing added but imports and a mapping."""
    written(plugin_dir, "listing", IMPORTS + listing + MAPPING)
    return load([plugin_dir], installed=(), poll_seconds=0.05)


@pytest.fixture(autouse=True)
def _disarmed(site: Site) -> Iterator[None]:
    yield
    site.disarm()


@pytest.fixture
def image(site: Site) -> str:
    return site.user.image.find("image", "cirros-0.6.2-x86_64-disk")


@pytest.fixture
def doomed_flavor(site: Site) -> Iterator[str]:
    """Return a flavor with which a server ends in ERROR."""
    clouds = Clouds()
    admin = Password(
        site.auth_url, "admin", SECRET,
        project_name="admin", user_domain_id="default", project_domain_id="default",
    )  # fmt: skip
    flavors = clouds.cloud(admin).compute
    body = {"name": DOOM, "id": "doom", "ram": 192, "disk": 1, "vcpus": 1}
    yield str(flavors.post("/flavors", {"flavor": body})["flavor"]["id"])
    flavors.remove("/flavors/doom")
    clouds.close()


def server(image: str, name: str) -> dict[str, Any]:
    properties = {"name": name, "flavor": FLAVOR, "image": image}
    return {"it": {"type": "My::Resource", "properties": properties}}


def shown(site: Site, id: str | None) -> dict[str, Any] | None:
    """Return a server as Nova shows it, or None where there is none."""
    try:
        found: dict[str, Any] = site.user.compute.get(f"/servers/{id}")["server"]
    except CloudNotFound:
        return None
    return found


def test_it_loads_without_a_problem(plugins: Plugins) -> None:
    assert plugins.problems == []
    kind = plugins.types["My::Resource"]
    assert kind.Props.schema()["flavor"]["constraints"] == [{"custom_constraint": "nova.flavor"}]
    assert {"instance_id", "ip_address", "show"} <= set(kind.attributes)
    assert kind.Props.updatable() == {"name"}


def test_it_is_created_polled_renamed_and_deleted(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    outputs = {"id": {"value": {"get_attr": ["it", "instance_id"]}}}
    ref = stacks.create("listing", server(image, "one"), outputs=outputs)
    assert (stacks.status(ref), stacks.reason(ref)[:6]) == ("CREATE_COMPLETE", "Stack ")
    id = stacks.id_of(ref, "it")
    assert stacks.outputs(ref) == {"id": id}
    made = shown(site, id)
    assert made is not None
    assert (made["name"], made["status"]) == ("one", "ACTIVE")

    stacks.update(ref, server(image, "two"), outputs=outputs)
    assert stacks.status(ref) == "UPDATE_COMPLETE", stacks.reason(ref)
    renamed = shown(site, id)
    assert renamed is not None
    assert (stacks.id_of(ref, "it"), renamed["name"]) == (id, "two")

    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)
    assert shown(site, id) is None


def test_deleting_what_is_gone_already_is_no_failure(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    ref = stacks.create("gone", server(image, "gone"))
    id = stacks.id_of(ref, "it")
    site.user.compute.remove(f"/servers/{id}")
    eventually(lambda: shown(site, id) is None)
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)


def test_a_change_that_its_update_does_not_handle_makes_another(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    ref = stacks.create("larger", server(image, "one"))
    old = stacks.id_of(ref, "it")
    larger = server(image, "one")
    larger["it"]["properties"]["flavor"] = "42"
    stacks.update(ref, larger)
    new = stacks.id_of(ref, "it")
    assert stacks.status(ref) == "UPDATE_COMPLETE", stacks.reason(ref)
    assert new != old
    assert (shown(site, old), shown(site, new) is not None) == (None, True)
    stacks.delete(ref)


def test_a_server_that_goes_to_error_fails_with_its_own_reason(
    plugins: Plugins, house: Callable[[Plugins], House], image: str, doomed_flavor: str
) -> None:
    stacks = house(plugins)
    doomed = server(image, "one")
    doomed["it"]["properties"]["flavor"] = doomed_flavor
    ref = stacks.create("error", doomed)
    assert stacks.status(ref) == "CREATE_FAILED"
    told = "Resource CREATE failed: ResourceInError: resources.it: Went to status ERROR due to"
    assert stacks.reason(ref).startswith(told)
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE"


def test_a_refused_create_fails_with_what_the_service_says(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    site.arm(service="compute", method="POST", status=400, message="not this one")
    ref = stacks.create("refused", server(image, "one"))
    site.disarm()
    assert stacks.status(ref) == "CREATE_FAILED"
    assert "resources.it: not this one (HTTP 400 from compute)" in stacks.reason(ref)
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)


def test_a_busy_service_is_asked_again(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    site.arm(service="compute", method="POST", status=409, message="busy", count=1)
    ref = stacks.create("busy", server(image, "one"))
    assert (site.hits(), stacks.status(ref)) == (1, "CREATE_COMPLETE")
    site.disarm()
    site.arm(service="compute", method="GET", path="/servers/", status=503, count=2)
    stacks.delete(ref)
    assert (site.hits(), stacks.status(ref)) == (2, "DELETE_COMPLETE")


def test_a_create_whose_answer_is_lost_fails_and_is_not_sent_twice(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    since, _ = site.changing()
    site.arm(service="compute", method="POST", reset=True)
    ref = stacks.create("lost", server(image, "lost"))
    site.disarm()
    assert stacks.status(ref) == "CREATE_FAILED"
    assert "compute did not answer" in stacks.reason(ref)
    _, calls = site.changing(since)
    assert [call["method"] for call in calls] == ["POST"]
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)


def test_it_is_suspended_and_resumed(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    ref = stacks.create("sleeper", server(image, "sleeper"))
    id = stacks.id_of(ref, "it")
    for action, status in ((Action.SUSPEND, "SUSPENDED"), (Action.RESUME, "ACTIVE")):
        stacks.act(ref, action)
        assert stacks.status(ref) == f"{action.upper()}_COMPLETE", stacks.reason(ref)
        there = shown(site, id)
        assert there is not None
        assert there["status"] == status
    stacks.update(ref, server(image, "renamed"))
    assert (stacks.status(ref), stacks.id_of(ref, "it")) == ("UPDATE_COMPLETE", id)
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)


def test_a_suspend_whose_answer_is_lost_is_found_done(
    plugins: Plugins, house: Callable[[Plugins], House], site: Site, image: str
) -> None:
    stacks = house(plugins)
    ref = stacks.create("lost", server(image, "lost"))
    id = stacks.id_of(ref, "it")
    site.arm(service="compute", method="POST", path="/action", reset=True, count=1)
    stacks.act(ref, Action.SUSPEND)
    assert (site.hits(), stacks.status(ref)) == (1, "SUSPEND_COMPLETE"), stacks.reason(ref)
    there = shown(site, id)
    assert there is not None
    assert there["status"] == "SUSPENDED"
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE", stacks.reason(ref)


def test_without_a_check_of_its_own_it_is_not_checked(
    plugins: Plugins, house: Callable[[Plugins], House], image: str
) -> None:
    stacks = house(plugins)
    ref = stacks.create("unchecked", server(image, "unchecked"))
    stacks.act(ref, Action.CHECK)
    assert stacks.status(ref) == "CHECK_COMPLETE"
    assert stacks.reason(ref).endswith("'CHECK' not fully supported (see resources)")
    stacks.delete(ref)
