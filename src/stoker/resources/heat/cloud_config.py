"""OS::Heat::CloudConfig: a map as cloud-init reads it, kept as a software config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from stoker.resources.kept_config import ATTRIBUTES, UNGROUPED, adopted, kept
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Resource, Step
from stoker.sdk.schema import Props, prop
from stoker.sdk.value import thaw
from stoker.usecases.software import NewConfig


class CloudConfigProps(Props):
    cloud_config: Mapping[str, Any] | None = prop("What cloud-init is to do.", default=None)


class CloudConfig(Resource[CloudConfigProps]):
    type_name = "OS::Heat::CloudConfig"
    since = "2014.1"
    doc = "What cloud-init is to do at a server's first boot, as a map."
    Props = CloudConfigProps
    computes = True
    attributes = ATTRIBUTES
    keeps_config = True

    def create(self, at: At[CloudConfigProps], cloud: Cloud) -> Step:
        text = yaml.safe_dump(thaw(at.props.cloud_config or {}), sort_keys=False)
        return kept(at, NewConfig(at.name, UNGROUPED, f"#cloud-config\n{text}"))

    def adopt(self, at: At[CloudConfigProps], cloud: Cloud) -> Step:
        return adopted(at)

    def delete(self, at: At[CloudConfigProps], cloud: Cloud) -> Step:
        return Done()
