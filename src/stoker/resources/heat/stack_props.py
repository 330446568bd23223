"""The properties and attributes of OS::Heat::Stack, wherever it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.sdk.schema import Attr, Props, Support, attrs, prop

_SINCE_12: Final = Support(since="12.0.0")


class StackContext(Props):
    region_name: str | None = prop("Region in which to make the stack.", default=None)
    credential_secret_id: str | None = prop(
        "Secret with the credential for another cloud.",
        default=None,
        updatable=True,
        support=_SINCE_12,
    )
    ca_cert: str | None = prop(
        "Certificates that vouch for the other cloud.",
        default=None,
        updatable=True,
        support=_SINCE_12,
    )
    insecure: bool = prop(
        "Do not check the other cloud's certificate.",
        default=False,
        updatable=True,
        support=_SINCE_12,
    )


class StackProps(Props):
    context: StackContext | None = prop(
        "Where to make the stack, if not here.", default=None, updatable=True
    )
    template: str = prop("Text of the stack's template.", updatable=True)
    timeout: int | None = prop("Minutes after which it fails.", default=None, updatable=True)
    parameters: Mapping[str, Any] = prop(
        "Values of the template's parameters.", default={}, updatable=True
    )


ATTRIBUTES: Final = attrs(
    stack_name=Attr("Name of the stack."), outputs=Attr("Its outputs.", "map")
)
