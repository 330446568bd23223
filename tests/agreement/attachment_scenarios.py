"""What Nova answers where servers meet ports and volumes.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from tests.agreement.network_scenarios import NOBODYS, network, neutron, port, subnet
from tests.agreement.server_scenarios import NET, becomes, nova, server
from tests.agreement.step import Scenario
from tests.agreement.volume_scenarios import cinder

INTERFACES = Scenario(
    "servers with several ports",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24"),
        network("m"),
        subnet(201, network_id="{m}", cidr="10.82.0.0/24"),
        port(201, network_id="{n}", keep="p"),
        port(201, network_id="{m}", keep="q"),
        server(202, "v", networks=[{"port": "{p}"}, {"uuid": "{m}"}]),
        becomes("ACTIVE", {"server.addresses.n.#": 1, "server.addresses.m.#": 1}),
        server(409, networks=[{"port": "{p}"}], see="conflictingRequest"),
        server(400, networks=[{"port": "{q}", "fixed_ip": "10.82.0.9"}, {"port": "{q}"}]),
        nova("GET", "servers/{v}/os-interface", 200, see={"interfaceAttachments.#": 2}),
        nova(
            "POST",
            "servers/{v}/os-interface",
            409,
            {"interfaceAttachment": {"port_id": "{p}"}},
            see="conflictingRequest",
        ),
        nova(
            "POST",
            "servers/{v}/os-interface",
            404,
            {"interfaceAttachment": {"port_id": NOBODYS}},
            see="itemNotFound",
        ),
        nova(
            "POST",
            "servers/{v}/os-interface",
            400,
            {"interfaceAttachment": {"port_id": "{q}", "net_id": "{m}"}},
            see="badRequest",
        ),
        nova(
            "POST",
            "servers/{v}/os-interface",
            200,
            {"interfaceAttachment": {"port_id": "{q}"}},
            see={
                "interfaceAttachment.port_id": "{q}",
                "interfaceAttachment.net_id": "{m}",
                "interfaceAttachment.fixed_ips.#": 1,
            },
        ),
        neutron(
            "GET",
            "ports/{q}",
            200,
            see={"port.device_id": "{v}", "port.device_owner": "compute:nova"},
            patient=True,
        ),
        nova("DELETE", "servers/{v}/os-interface/{q}", 202),
        nova("GET", "servers/{v}/os-interface/{q}", 404, patient=True, see="itemNotFound"),
        nova("DELETE", "servers/{v}/os-interface/{q}", 202),
        neutron(
            "GET",
            "ports/{q}",
            200,
            see={"port.device_id": "", "port.device_owner": "", "port.status": "DOWN"},
            patient=True,
        ),
        neutron("DELETE", "networks/{m}", 409, see="NetworkInUse"),
        nova("DELETE", "servers/{v}", 204),
        nova("GET", "servers/{v}", 404, patient=True),
        neutron(
            "GET",
            "ports/{p}",
            200,
            see={"port.device_id": "", "port.device_owner": "", "port.status": "DOWN"},
            patient=True,
        ),
        neutron("GET", "ports?network_id={m}", 200, see={"ports.#": 1}, patient=True),
    ),
)

VOLUMES_OF_SERVERS = Scenario(
    "volumes of servers",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24"),
        server(202, "v", networks=NET),
        cinder(
            "POST",
            "volumes",
            202,
            {"volume": {"size": 1}},
            keep={"d": "volume.id"},
        ),
        cinder(
            "GET",
            "volumes/{d}",
            200,
            see={"volume.status": "available"},
            patient=True,
        ),
        becomes("ACTIVE"),
        nova(
            "POST",
            "servers/{v}/os-volume_attachments",
            404,
            {"volumeAttachment": {"volumeId": NOBODYS}},
            see="itemNotFound",
        ),
        nova(
            "POST",
            "servers/{v}/os-volume_attachments",
            400,
            {"volumeAttachment": {}},
            see="badRequest",
        ),
        nova(
            "POST",
            "servers/{v}/os-volume_attachments",
            200,
            {"volumeAttachment": {"volumeId": "{d}"}},
            see={
                "volumeAttachment.volumeId": "{d}",
                "volumeAttachment.serverId": "{v}",
                "volumeAttachment.delete_on_termination": False,
            },
        ),
        cinder(
            "GET",
            "volumes/{d}",
            200,
            see={
                "volume.status": "in-use",
                "volume.attachments.#": 1,
                "volume.attachments.0.server_id": "{v}",
            },
            patient=True,
        ),
        nova(
            "POST",
            "servers/{v}/os-volume_attachments",
            400,
            {"volumeAttachment": {"volumeId": "{d}"}},
            see="badRequest",
        ),
        cinder("DELETE", "volumes/{d}", 400, see={"badRequest.code": 400}),
        cinder(
            "POST",
            "snapshots",
            400,
            {"snapshot": {"volume_id": "{d}", "force": False}},
        ),
        cinder(
            "POST",
            "volumes/{d}/action",
            202,
            {"os-extend": {"new_size": 2}},
        ),
        cinder(
            "GET",
            "volumes/{d}",
            200,
            see={"volume.status": "in-use", "volume.size": 2},
            patient=True,
        ),
        nova(
            "GET",
            "servers/{v}",
            200,
            see={
                "server.os-extended-volumes:volumes_attached": [
                    {"id": "{d}", "delete_on_termination": False}
                ]
            },
        ),
        nova("GET", "servers/{v}/os-volume_attachments/{d}", 200),
        nova("DELETE", "servers/{v}/os-volume_attachments/{d}", 202),
        cinder(
            "GET",
            "volumes/{d}",
            200,
            see={"volume.status": "available", "volume.attachments": []},
            patient=True,
        ),
        nova("GET", "servers/{v}/os-volume_attachments/{d}", 404, patient=True),
        nova("DELETE", "servers/{v}/os-volume_attachments/{d}", 404, see="itemNotFound"),
        nova("DELETE", "servers/{v}", 204),
        nova("GET", "servers/{v}", 404, patient=True),
        server(
            202,
            "w",
            networks=NET,
            imageRef="",
            block_device_mapping_v2=[
                {
                    "uuid": "{image}",
                    "source_type": "image",
                    "destination_type": "volume",
                    "volume_size": 1,
                    "boot_index": 0,
                    "delete_on_termination": True,
                }
            ],
        ),
        becomes("ACTIVE", {"server.image": ""}, at="w"),
        nova(
            "GET",
            "servers/{w}/os-volume_attachments",
            200,
            keep={"root": "volumeAttachments.0.volumeId"},
            see={"volumeAttachments.#": 1, "volumeAttachments.0.delete_on_termination": True},
        ),
        nova("DELETE", "servers/{w}/os-volume_attachments/{root}", 400, see="badRequest"),
        nova("DELETE", "servers/{w}", 204),
        cinder("GET", "volumes/{root}", 404, patient=True),
    ),
)
