"""Cases whose types are not all there yet: an environment makes OS::Heat::None of the others.

What is built of such a type since then is to be taken off its case here.
"""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import FLAVOR, IMAGE, KEY, NETWORK, SUBNET, Case, Named

_NECTAR: Final = "NeCTAR-RC+heat-templates"
_HOT: Final = "openstack+heat-templates/hot"
_TEMPEST: Final = "openstack+heat-tempest-plugin/heat_tempest_plugin/tests/scenario/templates"
_SYSELEVEN: Final = "syseleven+heat-examples"

_WAIT: Final = ("OS::Heat::WaitCondition", "OS::Heat::WaitConditionHandle")
_GROUP: Final = (
    "OS::Heat::AutoScalingGroup",
    "OS::Heat::ScalingPolicy",
    "OS::Aodh::GnocchiAggregationByResourcesAlarm",
)
_MEMBER: Final = ("OS::Octavia::PoolMember",)
_BALANCER: Final = (
    *_MEMBER,
    "OS::Octavia::LoadBalancer",
    "OS::Octavia::Listener",
    "OS::Octavia::Pool",
    "OS::Octavia::HealthMonitor",
)
_SERVER: Final = {"image": IMAGE, "flavor": FLAVOR}
_NAMED: Final = {**_SERVER, "key_name": KEY.name}
_PLACE: Final = {**_SERVER, "availability_zone": "nova"}
_SECURITY: Final = Named("security_group", "a-group")

CASES: Final = (
    Case(
        f"{_NECTAR}/auto_scaling.yaml",
        {**_PLACE, "key_name": KEY.name},
        needs=(KEY,),
        as_nothing=_GROUP,
        real=True,
    ),
    Case(
        f"{_NECTAR}/server_with_apache.yaml",
        {**_PLACE, "key_name": KEY.name},
        needs=(KEY,),
        as_nothing=_WAIT,
        real=True,
    ),
    Case(
        f"{_NECTAR}/private_network_with_router.yaml",
        {"availability_zone": "nova", "public_network": "public"},
        as_nothing=("OS::Neutron::RouterGateway",),
    ),
    Case(
        f"{_NECTAR}/lbaas_server_member.yaml",
        {
            **_PLACE,
            "network": NETWORK.name,
            "secgroup": _SECURITY.name,
            "wc_notify": "true",
            "pool": "a-pool",
            "backend_port": "80",
            "subnet": SUBNET,
        },
        changes={"backend_port": "81"},
        needs=(_SECURITY, NETWORK),
        as_nothing=_MEMBER,
        real=True,
    ),
    Case(
        f"{_TEMPEST}/test_server_signal.yaml",
        {**_NAMED, "public_net": "public", "timeout": 60},
        needs=(KEY,),
        as_nothing=_WAIT,
        real=True,
    ),
    Case(
        f"{_HOT}/lb_server.yaml",
        {
            **_NAMED,
            "pool_id": "a-pool",
            "user_data": "#!/bin/sh",
            "metadata": {"role": "web"},
            "network": "shared",
            "subnet": "a-subnet",
        },
        changes={"metadata": {"role": "db"}},
        needs=(KEY,),
        as_nothing=_MEMBER,
        real=True,
    ),
    Case(
        f"{_HOT}/octavia/servers_with_octavia.yaml",
        {
            **_SERVER,
            "subnet": SUBNET,
            "private_network": NETWORK.name,
            "server1_name": "one",
            "server2_name": "two",
        },
        changes={"server2_name": "second"},
        needs=(NETWORK,),
        as_nothing=_BALANCER,
    ),
    Case(
        f"{_SYSELEVEN}/lbaas-octavia-http/lbstack.yaml",
        {**_NAMED, "public_network": "public"},
        needs=(KEY,),
        as_nothing=_BALANCER,
    ),
)
