"""The properties that a software deployment, and a group of them, have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.sdk.schema import Props, prop
from stoker.sdk.value import is_open

ACTIONS: Final = ("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME")
NO_SIGNAL: Final = "NO_SIGNAL"
_CFN: Final = "CFN_SIGNAL"
_TRANSPORTS: Final = (_CFN, "TEMP_URL_SIGNAL", "HEAT_SIGNAL", NO_SIGNAL, "ZAQAR_SIGNAL")


class DeploymentProps(Props):
    config: str | None = prop("Software config to deploy, by id.", default=None, updatable=True)
    input_values: Mapping[str, Any] | None = prop(
        "Values of the config's inputs.", default=None, updatable=True
    )
    actions: tuple[str, ...] = prop(
        "What is done to the stack when it is carried out.",
        default=["CREATE", "UPDATE"],
        updatable=True,
        one_of=ACTIONS,
    )
    name: str | None = prop("Name of the derived config.", default=None, updatable=True)
    signal_transport: str = prop("How its end is signalled.", default=_CFN, one_of=_TRANSPORTS)


def transport_problems(props: DeploymentProps) -> Iterable[Problem]:
    """Give what is wrong with the way of its signals."""
    transport = props.signal_transport
    if is_open(transport) or transport in (_CFN, NO_SIGNAL):
        return
    text = f"{transport} needs a user of the stack's own, and none is made yet; leave it out"
    yield Problem(text, ("signal_transport",), None, Kind.PROPERTY)
