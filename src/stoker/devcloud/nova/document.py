"""The calls that show the service itself: versions, zones, hosts, services, extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import host, problem
from stoker.devcloud.nova.ask import LEGACY, ROOT, Ask, compute_route
from stoker.devcloud.nova.microversion import HIGHEST, LOWEST
from stoker.devcloud.router import elsewhere, route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc

_UPDATED = "2013-07-23T11:33:21Z"
_EXTENSIONS = (
    "NMN", "OS-DCF", "OS-EXT-AZ", "OS-EXT-IPS", "OS-EXT-IPS-MAC", "OS-EXT-SRV-ATTR",
    "OS-EXT-STS", "OS-FLV-DISABLED", "OS-FLV-EXT-DATA", "OS-SCH-HNT", "OS-SRV-USG",
    "os-admin-actions", "os-attach-interfaces", "os-availability-zone", "os-config-drive",
    "os-console-output", "os-consoles", "os-extended-volumes", "os-flavor-access",
    "os-flavor-extra-specs", "os-flavor-manage", "os-hypervisors", "os-keypairs",
    "os-quota-sets", "os-security-groups", "os-server-groups", "os-services", "os-user-data",
    "os-volumes",
)  # fmt: skip
_KEYS_BY_ID, _NO_CPU_INFO = 53, 88


def _version(request: Request) -> Doc:
    return {
        "id": "v2.1",
        "status": "CURRENT",
        "version": str(HIGHEST),
        "min_version": str(LOWEST),
        "updated": _UPDATED,
        "links": [{"rel": "self", "href": f"{request.cloud.url}{ROOT}/"}],
    }


def _legacy(request: Request) -> Doc:
    return {
        "id": "v2.0",
        "status": "DEPRECATED",
        "version": "",
        "min_version": "",
        "updated": _UPDATED,
        "links": [{"rel": "self", "href": f"{request.cloud.url}{LEGACY}/"}],
    }


def _media(version: str) -> list[Doc]:
    kind = f"application/vnd.openstack.compute+json;version={version}"
    return [{"base": "application/json", "type": kind}]


@route("GET", "/compute", public=True)
def list_compute_versions(request: Request) -> Doc:
    """Give the versions that this service speaks."""
    return {"versions": [_legacy(request), _version(request)]}


@elsewhere("compute", "v2", "v2.1")
def choose_compute_version(request: Request) -> Reply:
    """Give the places that a path without a version may mean."""
    rest = request.path.removeprefix("/compute")
    choices = [
        {
            "id": id,
            "status": status,
            "links": [{"rel": "self", "href": f"{request.cloud.url}{root}{rest}"}],
            "media-types": _media(version),
        }
        for id, status, root, version in (
            ("v2.0", "DEPRECATED", LEGACY, "2"),
            ("v2.1", "CURRENT", ROOT, "2.1"),
        )
    ]
    return Reply({"choices": choices}, status=300)


@route("GET", LEGACY, public=True)
def show_legacy_compute_version(request: Request) -> Doc:
    """Give the version document of v2."""
    return {"version": {**_legacy(request), "media-types": _media("2")}}


@route("GET", ROOT, public=True)
def show_compute_version(request: Request) -> Doc:
    """Give the version document of v2.1."""
    return {"version": {**_version(request), "media-types": _media("2.1")}}


@compute_route("GET", "extensions")
def list_compute_extensions(_ask: Ask) -> Doc:
    """Give the extensions."""
    return {"extensions": [_extension(alias) for alias in _EXTENSIONS]}


@compute_route("GET", "extensions/{alias}")
def show_compute_extension(ask: Ask) -> Doc:
    """Give one extension."""
    if ask.params["alias"] not in _EXTENSIONS:
        raise problem.missing("The resource could not be found.")
    return {"extension": _extension(ask.params["alias"])}


def _extension(alias: str) -> Doc:
    return {
        "alias": alias,
        "name": alias,
        "description": "",
        "links": [],
        "namespace": "",
        "updated": "2014-12-03T00:00:00Z",
    }


@compute_route("GET", "os-availability-zone")
def list_compute_zones(_ask: Ask) -> Doc:
    """Give the one zone."""
    return {"availabilityZoneInfo": [_zone(None)]}


@compute_route("GET", "os-availability-zone/detail")
def list_compute_zone_details(ask: Ask) -> Doc:
    """Give the one zone with its hosts."""
    ask.only_admin("os-availability-zone:detail")
    state = {"available": True, "active": True, "updated_at": None}
    return {"availabilityZoneInfo": [_zone({h: {"nova-compute": state} for h in host.HOSTS})]}


def _zone(hosts: Doc | None) -> Doc:
    return {"zoneName": host.ZONE, "zoneState": {"available": True}, "hosts": hosts}


@compute_route("GET", "os-hypervisors")
def list_hypervisors(ask: Ask) -> Doc:
    """Give the hosts' names."""
    ask.only_admin("os-hypervisors:list")
    return {"hypervisors": [_hypervisor(ask, at) for at in range(len(host.HOSTS))]}


@compute_route("GET", "os-hypervisors/detail")
def list_hypervisor_details(ask: Ask) -> Doc:
    """Give the hosts."""
    ask.only_admin("os-hypervisors:list-detail")
    return {"hypervisors": [_hypervisor_details(ask, at) for at in range(len(host.HOSTS))]}


@compute_route("GET", "os-hypervisors/{hypervisor_id}")
def show_hypervisor(ask: Ask) -> Doc:
    """Give one host."""
    ask.only_admin("os-hypervisors:show")
    for at in range(len(host.HOSTS)):
        if str(_hypervisor(ask, at)["id"]) == ask.params["hypervisor_id"]:
            return {"hypervisor": _hypervisor_details(ask, at)}
    raise problem.missing(f"Hypervisor with ID '{ask.params['hypervisor_id']}' could not be found.")


def _hypervisor(ask: Ask, at: int) -> Doc:
    name = host.HOSTS[at]
    id = f"00000000-0000-4000-8000-{at + 1:012d}" if ask.since(_KEYS_BY_ID) else at + 1
    return {"id": id, "hypervisor_hostname": name, "state": "up", "status": "enabled"}


def _hypervisor_details(ask: Ask, at: int) -> Doc:
    name = host.HOSTS[at]
    body = {
        **_hypervisor(ask, at),
        "hypervisor_type": "devcloud",
        "hypervisor_version": 1,
        "host_ip": "127.0.0.1",
        "service": {"id": at + 1, "host": name, "disabled_reason": None},
    }
    if ask.since(_NO_CPU_INFO):
        return {**body, "uptime": None, "servers": []}
    here = [s for s in ask.state.list("compute.server") if s["host"] == name]
    return {
        **body,
        "vcpus": host.CORES,
        "memory_mb": host.MEMORY_MB,
        "local_gb": host.DISK_GB,
        "vcpus_used": sum(server["flavor"]["vcpus"] for server in here),
        "memory_mb_used": sum(server["flavor"]["ram"] for server in here),
        "local_gb_used": sum(server["flavor"]["disk"] for server in here),
        "running_vms": len(here),
        "cpu_info": {},
    }


@compute_route("GET", "os-services")
def list_compute_services(ask: Ask) -> Doc:
    """Give the services of this cloud: all up."""
    ask.only_admin("os-services:list")
    named = [("nova-scheduler", "devcloud"), ("nova-conductor", "devcloud")]
    named += [("nova-compute", name) for name in host.HOSTS]
    return {"services": [_service(ask, at, *each) for at, each in enumerate(named, 1)]}


def _service(ask: Ask, at: int, binary: str, name: str) -> Doc:
    id = f"00000000-0000-4000-9000-{at:012d}" if ask.since(_KEYS_BY_ID) else at
    zone = host.ZONE if binary == "nova-compute" else "internal"
    return {
        "id": id,
        "binary": binary,
        "host": name,
        "zone": zone,
        "status": "enabled",
        "state": "up",
        "updated_at": ask.now().rstrip("Z") + ".000000",
        "disabled_reason": None,
        "forced_down": False,
    }
