"""OS::Heat::SoftwareConfig: what a tool in a guest is to do, under an id that others can name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.resources.kept_config import ATTRIBUTES, UNGROUPED, adopted, kept
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Resource, Step
from stoker.sdk.schema import Props, prop
from stoker.sdk.value import thaw
from stoker.usecases.software import NewConfig

TYPES: Final = ("String", "Number", "CommaDelimitedList", "Json", "Boolean")


class ConfigInput(Props):
    name: str = prop("Name of the input.")
    description: str | None = prop("What it is for.", default=None)
    type: str = prop("Type of its value.", default="String", one_of=TYPES)
    default: Any = prop("Its value where none is given.", default=None)
    replace_on_change: bool = prop(
        "Replace a deployment whose value of it has changed.", default=False
    )


class ConfigOutput(Props):
    name: str = prop("Name of the output.")
    description: str | None = prop("What it says.", default=None)
    type: str = prop("Type of its value.", default="String", one_of=TYPES)
    error_output: bool = prop("Whether any value of it is a failure.", default=False)


class SoftwareConfigProps(Props):
    group: str = prop("The tool that carries it out.", default=UNGROUPED)
    config: str | None = prop("What the tool is to do.", default=None)
    options: Mapping[str, Any] | None = prop("Options of the tool.", default=None)
    inputs: tuple[ConfigInput, ...] | None = prop("What it takes.", default=None)
    outputs: tuple[ConfigOutput, ...] | None = prop("What it gives.", default=None)


class SoftwareConfig(Resource[SoftwareConfigProps]):
    type_name = "OS::Heat::SoftwareConfig"
    since = "2014.1"
    doc = "A script or other input of a tool in a guest, kept under an id."
    Props = SoftwareConfigProps
    computes = True
    attributes = ATTRIBUTES
    keeps_config = True

    def create(self, at: At[SoftwareConfigProps], cloud: Cloud) -> Step:
        props = at.props
        config = NewConfig(
            name=at.name,
            group=props.group,
            config=props.config,
            inputs=tuple(each.given() for each in props.inputs or ()),
            outputs=tuple(each.given() for each in props.outputs or ()),
            options=thaw(props.options or {}),
        )
        return kept(at, config)

    def adopt(self, at: At[SoftwareConfigProps], cloud: Cloud) -> Step:
        return adopted(at)

    def delete(self, at: At[SoftwareConfigProps], cloud: Cloud) -> Step:
        return Done()
