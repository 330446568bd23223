"""The types by name: a table of where each is, loaded when it is first asked for.

Rule: nothing is imported before it is needed; a type's module is imported once.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from stoker.resources.heat.provider import provider
from stoker.sdk.resource import Resource
from stoker.sdk.variants import parts

_HERE: Final = "stoker.resources"

TABLE: Final[Mapping[str, str]] = {
    "OS::Cinder::EncryptedVolumeType": "cinder.encrypted_volume_type:EncryptedVolumeType",
    "OS::Cinder::Volume": "cinder.volume:Volume",
    "OS::Cinder::VolumeAttachment": "cinder.volume_attachment:VolumeAttachment",
    "OS::Cinder::VolumeType": "cinder.volume_type:VolumeType",
    "OS::Glance::WebImage": "glance.web_image:WebImage",
    "OS::Heat::CloudConfig": "heat.cloud_config:CloudConfig",
    "OS::Heat::MultipartMime": "heat.multipart_mime:MultipartMime",
    "OS::Heat::None": "heat.none:Nothing",
    "OS::Heat::RandomString": "heat.random_string:RandomString",
    "OS::Heat::ResourceChain": "heat.resource_chain:ResourceChain",
    "OS::Heat::ResourceGroup": "heat.resource_group:ResourceGroup",
    "OS::Heat::SoftwareConfig": "heat.software_config:SoftwareConfig",
    "OS::Heat::SoftwareDeployment": "heat.software_deployment:SoftwareDeployment",
    "OS::Heat::SoftwareDeploymentGroup": ("heat.software_deployment_group:SoftwareDeploymentGroup"),
    "OS::Heat::Stack": "heat.stack:Stack",
    "OS::Heat::TestResource": "heat.test_resource:TestResource",
    "OS::Heat::Value": "heat.value:Value",
    "OS::Heat::WaitCondition": "heat.wait_condition:WaitCondition",
    "OS::Heat::WaitConditionHandle": "heat.wait_condition_handle:WaitConditionHandle",
    "OS::Neutron::FloatingIP": "neutron.floating_ip:FloatingIP",
    "OS::Neutron::FloatingIPAssociation": "neutron.floating_ip_association:FloatingIPAssociation",
    "OS::Neutron::Net": "neutron.net:Net",
    "OS::Neutron::Port": "neutron.port:Port",
    "OS::Neutron::Router": "neutron.router:Router",
    "OS::Neutron::RouterInterface": "neutron.router_interface:RouterInterface",
    "OS::Neutron::SecurityGroup": "neutron.security_group:SecurityGroup",
    "OS::Neutron::SecurityGroupRule": "neutron.security_group_rule:SecurityGroupRule",
    "OS::Neutron::Subnet": "neutron.subnet:Subnet",
    "OS::Nova::Flavor": "nova.flavor:Flavor",
    "OS::Nova::KeyPair": "nova.key_pair:KeyPair",
    "OS::Nova::Server": "nova.server:Server",
    "OS::Nova::ServerGroup": "nova.server_group:ServerGroup",
}

PROVIDERS_KEPT: Final = 256


class Index:
    """The index of types that an engine is handed (:class:`stoker.sdk.resource.Types`)."""

    def __init__(self, table: Mapping[str, str] = TABLE) -> None:
        self._table = table
        self._loaded: dict[str, Resource[Any]] = {}
        self._provider = lru_cache(maxsize=PROVIDERS_KEPT)(provider)

    def names(self) -> Iterable[str]:
        """Return the names of all types, sorted."""
        return sorted(self._table)

    def get(self, type_name: str) -> Resource[Any] | None:
        """Return the type, or a variant as it is recorded; None where there is none so named."""
        name, variant = parts(type_name)
        if variant:
            base = self.get(name)
            return None if base is None else base.variants.get(variant)
        if type_name not in self._table:
            return None
        if type_name not in self._loaded:
            self._loaded[type_name] = _load(self._table[type_name])
        return self._loaded[type_name]

    def from_template(self, name: str, text: str) -> Resource[Any]:
        """Return the provider type that a template makes; raises Invalid."""
        return self._provider(name, text)


def _load(where: str) -> Resource[Any]:
    module, _, name = where.partition(":")
    kind: type[Resource[Any]] = getattr(importlib.import_module(f"{_HERE}.{module}"), name)
    return kind()
