"""The service as a whole: its collections, and what a new cloud has of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import agents, document, router_interface
from stoker.devcloud.neutron.call import Call
from stoker.devcloud.neutron.floating_ip import FLOATING_IPS
from stoker.devcloud.neutron.network import NETWORKS
from stoker.devcloud.neutron.port import PORTS
from stoker.devcloud.neutron.port_forwarding import FORWARDINGS
from stoker.devcloud.neutron.qos import POLICIES
from stoker.devcloud.neutron.qos import RULES as QOS_RULES
from stoker.devcloud.neutron.router import ROUTERS
from stoker.devcloud.neutron.routes import expose
from stoker.devcloud.neutron.security_group import GROUPS
from stoker.devcloud.neutron.security_group_rule import RULES
from stoker.devcloud.neutron.sharing import (
    ADDRESS_GROUPS,
    ADDRESS_SCOPES,
    RBAC_POLICIES,
    SEGMENTS,
)
from stoker.devcloud.neutron.subnet import SUBNETS
from stoker.devcloud.neutron.subnet_pool import POOLS
from stoker.devcloud.neutron.trunk import TRUNKS

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud

COLLECTIONS = (
    NETWORKS,
    SUBNETS,
    PORTS,
    GROUPS,
    RULES,
    POOLS,
    ROUTERS,
    FLOATING_IPS,
    FORWARDINGS,
    TRUNKS,
    POLICIES,
    *QOS_RULES,
    RBAC_POLICIES,
    ADDRESS_SCOPES,
    ADDRESS_GROUPS,
    SEGMENTS,
)

agents.declare()
document.declare()
router_interface.declare()
for _collection in COLLECTIONS:
    expose(_collection)


def seed(cloud: Cloud) -> None:
    """Make the two networks of a new cloud: ``public``, which is external, and ``shared``."""
    call = Call(cloud, project_id=_admin_project(cloud), is_admin=True)
    public = {"name": "public", "router:external": True, "is_default": True}
    _network(call, public, "public-subnet", "172.24.4.0/24", enable_dhcp=False)
    shared = {"name": "shared", "shared": True}
    _network(call, shared, "shared-subnet", "192.168.233.0/24", enable_dhcp=True)


def _network(
    call: Call, body: dict[str, object], name: str, cidr: str, *, enable_dhcp: bool
) -> None:
    (network,) = NETWORKS.create(call, [body])
    subnet = {"network_id": network["id"], "name": name, "ip_version": 4, "cidr": cidr}
    SUBNETS.create(call, [{**subnet, "enable_dhcp": enable_dhcp}])


def _admin_project(cloud: Cloud) -> str:
    found = cloud.state.list("identity.project", name="admin")
    return str(found[0]["id"]) if found else ""
