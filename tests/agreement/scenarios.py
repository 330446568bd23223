"""All scenarios, for whoever runs them."""

from __future__ import annotations

from tests.agreement import (
    attachment_scenarios,
    identity_scenarios,
    image_scenarios,
    network_scenarios,
    router_scenarios,
    server_scenarios,
    volume_scenarios,
)

ALL = (
    network_scenarios.NETWORKS,
    network_scenarios.PORTS,
    network_scenarios.SECURITY_GROUPS,
    router_scenarios.ROUTERS,
    router_scenarios.GATEWAYS,
    router_scenarios.FLOATING_IPS,
    server_scenarios.REFUSALS,
    server_scenarios.LIFE,
    server_scenarios.CHANGES,
    attachment_scenarios.INTERFACES,
    server_scenarios.KEYS_AND_GROUPS,
    attachment_scenarios.VOLUMES_OF_SERVERS,
    volume_scenarios.VOLUMES,
    volume_scenarios.SNAPSHOTS,
    volume_scenarios.TYPES,
    image_scenarios.IMAGES,
    identity_scenarios.TOKENS,
    identity_scenarios.TRUSTS,
    identity_scenarios.DOORS,
)
