"""OS::Heat::None: takes any properties, makes nothing, and answers every attribute with null."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from stoker.sdk.cloud import Cloud, Lookup
from stoker.sdk.resource import At, Done, Resource, Step, View
from stoker.sdk.schema import Props, attrs


class NothingProps(Props, open=True):
    """Whatever a template says."""


class Nothing(Resource[NothingProps]):
    type_name = "OS::Heat::None"
    since = "5.0.0"
    doc = "Makes nothing; maps a type out of a template by the environment."
    Props = NothingProps
    Policy = NothingProps
    computes = True
    open_attributes = True
    attributes = attrs()

    def lookups(self, props: NothingProps) -> Iterable[Lookup]:
        return ()

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return None

    def create(self, at: At[NothingProps], cloud: Cloud) -> Step:
        return Done(id=str(uuid.UUID(bytes=at.entropy(16), version=4)))

    def update(self, at: At[NothingProps], cloud: Cloud) -> Step:
        return Done()

    def delete(self, at: At[NothingProps], cloud: Cloud) -> Step:
        return Done()
