"""Cases with servers in networks that are there."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import (
    FLAVOR,
    IMAGE,
    KEY,
    LARGER,
    NETWORK,
    OTHER_IMAGE,
    SUBNET,
    Case,
    Named,
)
from tests.e2e.corpus_stock import PUBLIC_KEY

_NECTAR: Final = "NeCTAR-RC+heat-templates"
_CATALYST: Final = "catalyst-cloud+catalystcloud-orchestration/hot"
_OTC: Final = "OpenTelekomCloud+heat-templates"
_HOT: Final = "openstack+heat-templates/hot"
_RALLY: Final = "openstack+rally-openstack"
_MAGNUM: Final = "openstack+magnum/magnum/drivers"
_SYSELEVEN: Final = "syseleven+heat-examples"
_JUNIPER: Final = "Juniper+vmx-heat-templates/openstack/vmx-components"
_SERVER: Final = {"image": IMAGE, "flavor": FLAVOR}
_NAMED: Final = {**_SERVER, "key_name": KEY.name}
_PLACE: Final = {**_SERVER, "availability_zone": "nova"}
_GROUP: Final = Named("security_group", "a-group")
_PORT: Final = Named("port", "a-port")
_JAMMY: Final = Named("image", "Ubuntu Jammy 22.04 (2022-08-11)")
_F18: Final = Named("image", "F18-x86_64-cfntools")

CASES: Final = (
    Case(
        f"{_NECTAR}/basic_server.yaml",
        {**_PLACE, "key_name": KEY.name},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_NECTAR}/multi_stack.yaml",
        {**_PLACE, "key_name": KEY.name},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_NECTAR}/nova_keypair_existing.yaml",
        {**_PLACE, "public_key": PUBLIC_KEY},
        changes={"image": OTHER_IMAGE},
        real=True,
    ),
    Case(f"{_NECTAR}/nova_keypair_new.yaml", _PLACE, changes={"flavor": LARGER}, real=True),
    Case(
        f"{_OTC}/server_group.yaml",
        {**_NAMED, "network": "shared"},
        changes={"flavor": LARGER},
        needs=(KEY,),
    ),
    Case(
        f"{_OTC}/instance_with_publicip.yaml",
        {
            **_NAMED,
            "private_net_id": NETWORK,
            "private_subnet_id": SUBNET,
            "public_net_id": "public",
            "server_security_group": _GROUP.name,
        },
        needs=(KEY, _GROUP, NETWORK, Named("router", NETWORK.name)),
        real=True,
    ),
    Case(
        f"{_CATALYST}/hello-world.yaml",
        _NAMED,
        changes={"image": OTHER_IMAGE},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_HOT}/chef-server.yaml",
        {"ssh_key_name": KEY.name, "chef_image_name": IMAGE, "chef_flavor_name": FLAVOR},
        changes={"chef_server_name": "another"},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_HOT}/hello_world.yaml",
        {**_NAMED, "admin_pass": "Secret12"},
        changes={"admin_pass": "Secret34"},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_HOT}/F20/WordPress_2_Instances.yaml",
        {"key_name": KEY.name, "image_id": IMAGE},
        needs=(KEY,),
        real=True,
    ),
    Case(f"{_HOT}/F18/WordPress_Native.yaml", {"key_name": KEY.name}, needs=(KEY, _F18)),
    Case(f"{_HOT}/server_console.yaml", _SERVER),  # a hypervisor that runs nothing has no consoles
    Case(
        f"{_HOT}/servers_in_existing_neutron_network_no_floating_ips.yaml",
        {**_NAMED, "net_id": NETWORK, "subnet_id": SUBNET},
        changes={"flavor": LARGER},
        needs=(KEY, NETWORK),
        real=True,
    ),
    Case(
        f"{_HOT}/servers_in_existing_neutron_net.yaml",
        {
            **_NAMED,
            "public_net_id": "public",
            "private_net_id": NETWORK,
            "private_subnet_id": SUBNET,
        },
        needs=(KEY, NETWORK, Named("router", NETWORK.name)),
        real=True,
    ),
    Case(
        "openstack+magnum/contrib/templates/example/example_template/example.yaml",
        {"ssh_key_name": KEY.name, "server_image": IMAGE, "server_flavor": FLAVOR},
        changes={"server_flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_MAGNUM}/k8s_fedora_ironic_v1/templates/kubeminion.yaml",
        {
            "name": "minion",
            "server_image": IMAGE,
            "minion_flavor": FLAVOR,
            "ssh_key_name": KEY.name,
            "external_network": "public",
            "fixed_network": NETWORK,
            "fixed_subnet": SUBNET,
            "secgroup_kube_minion_id": _GROUP,
            "flannel_network_cidr": "10.100.0.0/16",
            "kube_software_configs": "#cloud-config",
            "nodes_server_group_id": Named("server_group", "a-group"),
        },
        changes={"flannel_network_cidr": "10.101.0.0/16"},
        needs=(
            KEY,
            _GROUP,
            Named("server_group", "a-group"),
            NETWORK,
            Named("router", NETWORK.name),
        ),
        real=True,
    ),
    Case(
        f"{_MAGNUM}/mesos_ubuntu_v1/templates/mesosslave.yaml",
        {
            "name": "slave",
            "server_image": IMAGE,
            "slave_flavor": FLAVOR,
            "ssh_key_name": KEY.name,
            "external_network": "public",
            "fixed_network": NETWORK,
            "fixed_subnet": SUBNET,
            "secgroup_slave_all_open_id": _GROUP,
            "mesos_slave_software_configs": "#cloud-config",
            "nodes_server_group_id": Named("server_group", "a-group"),
        },
        changes={"slave_flavor": LARGER},
        needs=(
            KEY,
            _GROUP,
            Named("server_group", "a-group"),
            NETWORK,
            Named("router", NETWORK.name),
        ),
        real=True,
    ),
    Case(
        "openstack+openstack-helm/tools/deployment/baremetal/heat-basic-bm-deployment.yaml",
        {
            "baremetal_net": NETWORK.name,
            "baremetal_subnet": NETWORK.name,
            "image": IMAGE,
            "flavor": FLAVOR,
            "ssh_key": KEY.name,
        },
        needs=(KEY, NETWORK),
        real=True,
    ),
    Case(
        "openstack+openstacksdk/openstack/tests/unit/orchestration/v1/hello_world.yaml",
        {**_NAMED, "network": "shared"},
        changes={"flavor": LARGER},
        needs=(KEY,),
        real=True,
    ),
    Case(
        f"{_RALLY}/rally-jobs/extra/workload/wp-instances.yaml",
        {
            **_NAMED,
            "name": "wp",
            "wc_notify": "true",
            "network": NETWORK,
            "subnet": SUBNET,
            "security_group": _GROUP,
            "db_name": "d",
            "db_username": "u",
            "db_password": "p",
            "db_root_password": "r",
        },
        needs=(KEY, _GROUP, NETWORK),
        real=True,
    ),
    Case(
        "openstack+senlin/examples/profiles/heat_stack/nova_server/nova_server_template.yaml",
        {**_SERVER, "private_net": NETWORK.name},
        changes={"server_name": "another"},
        needs=(NETWORK, Named("router", NETWORK.name)),
        real=True,
    ),
    Case(
        f"{_SYSELEVEN}/affinity/server.yaml",
        {
            "network_id": NETWORK,
            "server_name": "s",
            "affinity_group": Named("server_group", "a-group"),
        },
        changes={"server_name": "t"},
        needs=(_JAMMY, NETWORK, Named("server_group", "a-group")),
    ),
    Case(
        "cloudwatt+applications/blueprint-3tiers/heat-child/glusterfs.heat.yaml",
        {
            "network": NETWORK.name,
            "subnet": SUBNET,
            "cidr_net": "10.77.0.0/24",
            "os_type": IMAGE,
            "nodename": "gluster",
            "index": "1",
            "nodeip": "10.77.0.9",
            "security_group": _GROUP.name,
            "keypair_name": KEY.name,
            "flavor_name": FLAVOR,
        },
        changes={"flavor_name": LARGER},
        needs=(KEY, _GROUP, NETWORK),
        real=True,
    ),
    Case(
        f"{_JUNIPER}/vms/fpc.yaml",
        {
            "project_name": "p",
            "stack_name": "s",
            "id": "1",
            "vfp_image": IMAGE,
            "vfp_flavor": FLAVOR,
            "gateway_ip": "10.77.0.1",
            "re0_ip": "10.77.0.2",
            "all_ports": [_PORT],
        },
        changes={"re0_ip": "10.77.0.3"},
        needs=(NETWORK, _PORT),
        real=True,
    ),
)
