"""The calls that show the service itself: versions, zones, services, pools, extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder.ask import ROOT, Ask, moment, volume_route
from stoker.devcloud.cinder.microversion import HIGHEST, LOWEST
from stoker.devcloud.cinder.volume import HOST, ZONE
from stoker.devcloud.exchange import Reply
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc

_UPDATED = "2023-08-31T00:00:00Z"
_EXTENSIONS = (
    "backups", "encryption", "os-availability-zone", "os-extended-snapshot-attributes",
    "os-hosts", "os-quota-class-sets", "os-quota-sets", "os-services", "os-snapshot-actions",
    "os-types-extra-specs", "os-types-manage", "os-used-limits", "os-vol-host-attr",
    "os-vol-image-meta", "os-vol-mig-status-attr", "os-vol-tenant-attr", "os-volume-actions",
    "os-volume-encryption-metadata", "os-volume-type-access", "qos-specs", "scheduler-stats",
)  # fmt: skip
_FILTERS = {
    "volume": ["name", "status", "metadata", "bootable", "migration_status", "availability_zone"],
    "snapshot": ["name", "status", "volume_id", "metadata", "availability_zone"],
    "backup": ["name", "status", "volume_id"],
    "attachment": ["volume_id", "status", "instance_id", "attach_status"],
}
_RESOURCE_FILTERS = 33


def _versions(request: Request) -> Doc:
    kind = "application/vnd.openstack.volume+json;version=3"
    version = {
        "id": "v3.0",
        "status": "CURRENT",
        "version": f"3.{HIGHEST}",
        "min_version": f"3.{LOWEST}",
        "updated": _UPDATED,
        "links": [{"rel": "self", "href": f"{request.cloud.url}{ROOT}/"}],
        "media-types": [{"base": "application/json", "type": kind}],
    }
    return {"versions": [version]}


@route("GET", "/volume", public=True)
def list_volume_versions(request: Request) -> Reply:
    """Give the versions that this service speaks, as a 300."""
    return Reply(_versions(request), status=300)


@route("GET", ROOT)
def show_volume_version(request: Request) -> Doc | Reply:
    """Give the version document of v3, which stands behind a slash."""
    if not request.path.endswith("/"):
        return Reply("", status=302, headers={"Location": f"{request.cloud.url}{ROOT}/"})
    return _versions(request)


@volume_route("GET", "extensions")
def list_volume_extensions(_ask: Ask) -> Doc:
    """Give the extensions."""
    return {
        "extensions": [
            {"alias": alias, "name": alias, "description": "", "links": [], "updated": _UPDATED}
            for alias in _EXTENSIONS
        ]
    }


@volume_route("GET", "os-availability-zone")
def list_volume_zones(_ask: Ask) -> Doc:
    """Give the one zone."""
    return {"availabilityZoneInfo": [{"zoneName": ZONE, "zoneState": {"available": True}}]}


@volume_route("GET", "resource_filters", since=_RESOURCE_FILTERS)
def list_resource_filters(ask: Ask) -> Doc:
    """Give what lists can be filtered by."""
    wanted = ask.request.first("resource")
    return {
        "resource_filters": [
            {"resource": name, "filters": filters}
            for name, filters in _FILTERS.items()
            if wanted in ("", name)
        ]
    }


@volume_route("GET", "os-services")
def list_volume_services(ask: Ask) -> Doc:
    """Give the services of this cloud: all up."""
    ask.only_admin("volume_extension:services:index")
    host = HOST.partition("#")[0]
    named = [("cinder-scheduler", "devcloud"), ("cinder-volume", host), ("cinder-backup", host)]
    wanted = ask.request.first("binary")
    shown = [_service(ask, *each) for each in named if wanted in ("", each[0])]
    return {"services": shown}


def _service(ask: Ask, binary: str, host: str) -> Doc:
    return {
        "binary": binary,
        "host": host,
        "zone": ZONE,
        "status": "enabled",
        "state": "up",
        "updated_at": moment(ask.cloud),
        "disabled_reason": None,
    }


@volume_route("GET", "scheduler-stats/get_pools")
def list_volume_pools(ask: Ask) -> Doc:
    """Give the one pool of volumes."""
    ask.only_admin("scheduler_extension:scheduler_stats:get_pools")
    pool: Doc = {"name": HOST}
    if ask.request.first("detail").lower() in ("true", "1"):
        sizes = {"total_capacity_gb": "infinite", "free_capacity_gb": "infinite"}
        pool["capabilities"] = {
            **sizes,
            "volume_backend_name": "volumes",
            "vendor_name": "devcloud",
        }
    return {"pools": [pool]}
