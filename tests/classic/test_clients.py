"""The clients that plugins call with, on the embedded cloud, and what their errors mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.classic.clients import Clients, has_client
from stoker.classic.clients.client_plugin import ClientPlugin
from stoker.classic.context import Context, Offline
from stoker.classic.exception import ClientNotAvailable, EntityNotFound
from tests.clouds.wire import wired
from tests.crash.site import Site

if TYPE_CHECKING:
    from stoker.classic.clients.nova import NovaClientPlugin

NOWHERE = "00000000-0000-0000-0000-000000000000"
IMAGE = "cirros-0.6.2-x86_64-disk"


@pytest.fixture
def clients(site: Site) -> Clients:
    return Context("p", site.user).clients


@pytest.fixture
def nova(clients: Clients) -> Any:
    return clients.client_plugin("nova")


def raised(call: Any) -> Exception:
    """Return what a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever client's
        call()
    return caught.value


# openstacksdk calls what it deprecates itself
SDK = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")


@SDK
def test_every_client_reads_its_service(clients: Clients, site: Site) -> None:
    assert [flavor.name for flavor in clients.client("nova").flavors.list()][:1] == ["m1.tiny"]
    assert clients.client("neutron").list_networks()["networks"]
    assert IMAGE in [image.name for image in clients.client("glance").images.list()]
    project = clients.client("keystone").projects.get(site.caller.project_id)
    assert project.name == "demo"
    assert IMAGE in [image.name for image in clients.client("openstack").image.images()]


def test_a_client_is_made_once(clients: Clients) -> None:
    assert clients.client("nova") is clients.client("nova")
    assert clients.client("nova", "2.60") is not clients.client("nova")


@SDK
@pytest.mark.parametrize("name", ["nova", "neutron", "glance", "openstack"])
def test_what_is_not_there_is_not_found_and_may_be_ignored(clients: Clients, name: str) -> None:
    calls = {
        "nova": lambda: clients.client("nova").servers.get(NOWHERE),
        "neutron": lambda: clients.client("neutron").show_port(NOWHERE),
        "glance": lambda: clients.client("glance").images.get(NOWHERE),
        "openstack": lambda: clients.client("openstack").compute.get_server(NOWHERE),
    }
    plugin = clients.client_plugin(name)
    error = raised(calls[name])
    assert plugin.is_not_found(error)
    assert not plugin.is_conflict(error)
    plugin.ignore_not_found(error)
    with plugin.ignore_not_found:
        calls[name]()


def test_names_are_found(clients: Clients) -> None:
    image_id = clients.client_plugin("glance").find_image_by_name_or_id(IMAGE)  # type: ignore[attr-defined]
    assert clients.client_plugin("glance").find_image_by_name_or_id(image_id) == image_id  # type: ignore[attr-defined]
    assert clients.client_plugin("nova").find_flavor_by_name_or_id("m1.nano") == "42"  # type: ignore[attr-defined]
    find = clients.client_plugin("neutron").find_resourceid_by_name_or_id  # type: ignore[attr-defined]
    networks = clients.client("neutron").list_networks()["networks"]
    assert find("network", networks[0]["name"]) == networks[0]["id"]
    assert find("network", networks[0]["id"]) == networks[0]["id"]
    with pytest.raises(EntityNotFound, match="network"):
        find("network", "nowhere")


def test_another_error_is_not_ignored(nova: NovaClientPlugin) -> None:
    with pytest.raises(ValueError, match="other"):
        nova.ignore_not_found(ValueError("other"))
    with pytest.raises(ValueError, match="other"), nova.ignore_not_found:
        raise ValueError("other")


@pytest.mark.parametrize("status", [404, 503])
def test_an_answer_of_a_proxy_does_not_mean_that_a_server_is_gone(status: int) -> None:
    cloud, _ = wired(lambda *_: (status, "<html>no such page</html>"))
    nova = Context("p", cloud).clients.client_plugin("nova")
    error = raised(lambda: nova.client().servers.get(NOWHERE))
    assert not nova.is_not_found(error)
    with pytest.raises(type(error)):
        nova.ignore_not_found(error)


class Error(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


@pytest.mark.parametrize(
    ("code", "conflict", "over_limit", "passes"),
    [(409, True, False, True), (413, False, True, False), (404, False, False, True)],
)
def test_an_error_is_read_by_its_status(
    nova: NovaClientPlugin, *, code: int, conflict: bool, over_limit: bool, passes: bool
) -> None:
    error = Error(code)
    assert nova.is_conflict(error) == conflict
    assert nova.is_over_limit(error) == over_limit
    ignoring = nova.ignore_conflict_and_not_found
    if passes:
        ignoring(error)
    else:
        with pytest.raises(Error):
            ignoring(error)


def test_a_client_that_there_is_not_is_told(clients: Clients) -> None:
    assert has_client("nova")
    assert not has_client("trove")
    with pytest.raises(ClientNotAvailable, match=r"client \(trove\) is not available"):
        clients.client("trove")


def test_a_client_whose_package_is_missing_says_what_to_install(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "novaclient.client", None)
    with pytest.raises(ClientNotAvailable, match=r"pip install 'stoker\[classic\]'"):
        clients.client("nova")


class Own(ClientPlugin):
    """A vendor's client plugin, which takes no version."""

    def _create(self) -> Any:  # type: ignore[override]  # as vendors do
        return self.url_for(service_type="compute"), self._get_client_option("x", "endpoint_type")


def test_a_vendors_client_plugin_finds_its_endpoint(site: Site) -> None:
    url, interface = Own(Context("p", site.user)).client()
    assert "/compute/v2.1" in url
    assert interface == "public"
    assert Own(Context("p", site.user)).does_endpoint_exist("compute")
    assert not Own(Context("p", site.user)).does_endpoint_exist("nothing")


def test_without_a_cloud_no_plugin_can_ask_one() -> None:
    with pytest.raises(Offline):
        Context("p", None).clients.client("nova")
