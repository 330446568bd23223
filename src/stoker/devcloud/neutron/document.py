"""The calls that show the service itself: versions, extensions, quotas, availability zones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud import quota as quotas
from stoker.devcloud.neutron import problem, quota
from stoker.devcloud.neutron.convert import Malformed, integer
from stoker.devcloud.neutron.routes import network_route, wrapped
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_EXTENSIONS = {
    "address-group": "Address group",
    "address-scope": "Address scope",
    "agent": "agent",
    "allowed-address-pairs": "Allowed Address Pairs",
    "auto-allocated-topology": "Auto Allocated Topology Services",
    "availability_zone": "Availability Zone",
    "binding": "Port Binding",
    "binding-extended": "Port Bindings Extended",
    "default-subnetpools": "Default Subnetpools",
    "dns-domain-ports": "dns_domain for ports",
    "dns-integration": "DNS Integration",
    "empty-string-filtering": "Empty String Filtering Extension",
    "expose-port-forwarding-in-fip": "Expose Port Forwarding in FIP",
    "ext-gw-mode": "Neutron L3 Configurable external gateway mode",
    "external-net": "Neutron external network",
    "extra_dhcp_opt": "Neutron Extra DHCP options",
    "extraroute": "Neutron Extra Route",
    "extraroute-atomic": "Atomically add/remove extra routes",
    "filter-validation": "Filter parameters validation",
    "fip-port-details": "Floating IP Port Details Extension",
    "flavors": "Neutron Service Flavors",
    "floating-ip-port-forwarding": "Floating IP Port Forwarding",
    "ip-substring-filtering": "IP address substring filtering",
    "l3_agent_scheduler": "L3 Agent Scheduler",
    "multi-provider": "Multi Provider Network",
    "net-mtu": "Network MTU",
    "net-mtu-writable": "Network MTU (writable)",
    "network-ip-availability": "Network IP Availability",
    "network_availability_zone": "Network Availability Zone",
    "pagination": "Pagination support",
    "port-mac-address-regenerate": "Neutron Port MAC address regenerate",
    "port-security": "Port Security",
    "project-id": "project_id field enabled",
    "provider": "Provider Network",
    "qos": "Quality of Service",
    "qos-bw-limit-direction": "Direction for QoS bandwidth limit rule",
    "qos-default": "QoS default policy",
    "qos-fip": "Floating IP QoS",
    "quota-check-limit": "Quota engine limit check",
    "quota_details": "Quota details management support",
    "quotas": "Quota management support",
    "rbac-address-group": "Add address_group type to RBAC",
    "rbac-policies": "RBAC Policies",
    "rbac-security-groups": "Add security_group type to network RBAC",
    "revision-if-match": "If-Match constraints based on revision_number",
    "router": "Neutron L3 Router",
    "router_availability_zone": "Router Availability Zone",
    "security-group": "security-group",
    "security-groups-normalized-cidr": "Normalized CIDR field for security group rules",
    "security-groups-remote-address-group": "Remote address group id field for rules",
    "security-groups-shared-filtering": "Security group filtering on the shared field",
    "service-type": "Neutron Service Type Management",
    "sorting": "Sorting support",
    "standard-attr-description": "standard-attr-description",
    "standard-attr-revisions": "Resource revision numbers",
    "standard-attr-tag": "Tag support for resources with standard attribute",
    "standard-attr-timestamp": "Resource timestamps",
    "stateful-security-group": "Stateful security group",
    "subnet-service-types": "Subnet service types",
    "subnet_allocation": "Subnet Allocation",
    "trunk": "Trunk Extension",
    "trunk-details": "Trunk port details",
}
_UPDATED = "2016-01-01T00:00:00-00:00"


def declare() -> None:
    """Say that this module's calls are in the table: they are, once it is imported."""


@route("GET", "/networking", public=True)
def list_network_versions(request: Request) -> Doc:
    """Give the versions that this service speaks."""
    link = {"rel": "self", "href": f"{request.cloud.url}/networking/v2.0/"}
    return {"versions": [{"id": "v2.0", "status": "CURRENT", "links": [link]}]}


@route("GET", "/networking/v2.0")
def show_network_version(request: Request) -> Doc:
    """Give the version document of v2.0, which stands behind a slash."""
    if not request.path.endswith("/"):
        raise Refusal(404, "The resource could not be found.")
    base = f"{request.cloud.url}/networking/v2.0"
    names = ("network", "subnet", "port", "router", "floatingip", "security-group", "subnetpool")
    return {
        "resources": [
            {"name": n, "collection": f"{n}s", "links": [{"rel": "self", "href": f"{base}/{n}s"}]}
            for n in names
        ]
    }


@network_route("GET", "extensions", "list_extensions")
def list_extensions(_request: Request, _call: Call) -> Doc:
    """Give the extensions."""
    return {"extensions": [_extension(alias) for alias in _EXTENSIONS]}


@network_route("GET", "extensions/{alias}", "show_extension")
def show_extension(request: Request, _call: Call) -> Doc:
    """Give one extension, or 404."""
    alias = request.params["alias"]
    if alias not in _EXTENSIONS:
        raise problem.missing("ExtensionNotFound", f"Extension with alias {alias} does not exist")
    return {"extension": _extension(alias)}


def _extension(alias: str) -> Doc:
    name = _EXTENSIONS[alias]
    body = {"alias": alias, "name": name, "description": name, "updated": _UPDATED}
    return {**body, "links": []}


@network_route("GET", "availability_zones", "list_network_availability_zones")
def list_zones(_request: Request, _call: Call) -> Doc:
    """Give the one zone, for networks and for routers."""
    zones = [{"name": "nova", "resource": r, "state": "available"} for r in ("network", "router")]
    return {"availability_zones": zones}


@network_route("GET", "service-providers", "list_service_providers")
def list_providers(_request: Request, _call: Call) -> Doc:
    """Give the one provider of routers."""
    return {"service_providers": [{"service_type": "L3_ROUTER_NAT", "name": "devcloud"}]}


@network_route("GET", "quotas", "list_network_quotas")
def list_quotas(_request: Request, call: Call) -> Doc:
    """Give the quotas of the projects that have their own."""
    _only_admin(call, "get_quota")
    prefix = f"quota/{quota.SERVICE}/"
    rows = call.state.rows("SELECT name FROM settings WHERE name LIKE ?", (f"{prefix}%",))
    projects = [name.removeprefix(prefix) for (name,) in rows]
    return {
        "quotas": [
            {**quotas.limits(call.state, quota.SERVICE, each), "project_id": each}
            for each in projects
        ]
    }


@network_route("GET", "quotas/{project_id}", "show_network_quota")
def show_quota(request: Request, call: Call) -> Doc:
    """Give a project's limits."""
    project = _project(request, call)
    return {"quota": quotas.limits(call.state, quota.SERVICE, project)}


@network_route("GET", "quotas/{project_id}/default", "show_default_network_quota")
def show_default_quota(_request: Request, _call: Call) -> Doc:
    """Give the limits of projects that have none of their own."""
    return {"quota": dict(quota.DEFAULTS)}


@network_route("GET", "quotas/{project_id}/details.json", "show_network_quota_details")
@network_route("GET", "quotas/{project_id}/details", "show_network_quota_details")
def show_details(request: Request, call: Call) -> Doc:
    """Give a project's limits and what is used of them."""
    project = _project(request, call)
    limits = quotas.limits(call.state, quota.SERVICE, project)
    return {
        "quota": {
            name: {
                "limit": limit,
                "used": quota.used(call.state, project, name),
                "reserved": 0,
            }
            for name, limit in limits.items()
        }
    }


@network_route("PUT", "quotas/{project_id}", "update_network_quota")
def update_quota(request: Request, call: Call) -> Doc:
    """Set a project's limits; for administrators."""
    _only_admin(call, "update_quota")
    wanted = dict(wrapped(request.json(), "quota"))
    for asked in ("check_limit", "force"):
        wanted.pop(asked, None)
    project = request.params["project_id"]
    return {"quota": quotas.put(call.state, quota.SERVICE, project, _read_quota(wanted))}


@network_route("DELETE", "quotas/{project_id}", "delete_network_quota")
def delete_quota(request: Request, call: Call) -> None:
    """Give a project the default limits again."""
    _only_admin(call, "delete_quota")
    quotas.reset(call.state, quota.SERVICE, request.params["project_id"])


def _read_quota(wanted: dict[str, Any]) -> dict[str, int]:
    unknown = sorted(set(wanted) - set(quota.DEFAULTS))
    if unknown:
        raise problem.bad_request(f"Unrecognized attribute(s) '{', '.join(unknown)}'")
    try:
        return {name: integer(-1)(value) for name, value in wanted.items()}
    except Malformed as reason:
        raise problem.bad_request(f"Invalid input for quota. Reason: {reason}.") from None


def _project(request: Request, call: Call) -> str:
    project = request.params["project_id"]
    if not call.is_admin and project != call.project_id:
        raise problem.not_authorized("rule:get_quota")
    return project


def _only_admin(call: Call, rule: str) -> None:
    if not call.is_admin:
        raise problem.not_authorized(f"rule:{rule}")
