"""The ports of ``stoker serve``: the API's, the CFN API's and an embedded cloud's.

Rule: all are open before anything else starts; those chosen freely are the same at the next start,
so that URLs that somebody has kept stay right.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoker.app.listener import HOST, listen, port_of
from stoker.app.state import remember_ports, remembered_ports

if TYPE_CHECKING:
    import socket
    from contextlib import ExitStack

    from stoker.app.state import StateDirectory
    from stoker.cli.options import ServeOptions

IDENTITY = "/identity"
"""The path of Keystone, on whichever port it is."""


@dataclass(frozen=True, slots=True)
class Doors:
    """Sockets that listen already; ``devcloud`` is None beside a cloud that others run."""

    api: socket.socket
    cfn: socket.socket
    devcloud: socket.socket | None

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{port_of(self.api)}/v1"

    @property
    def cfn_url(self) -> str:
        return f"http://{HOST}:{port_of(self.cfn)}/v1"

    @property
    def identity_url(self) -> str:
        """Where clients log in: at the embedded cloud, or at the API's port."""
        return f"http://{HOST}:{port_of(self.devcloud or self.api)}{IDENTITY}/v3"

    def ports(self) -> dict[str, int]:
        """Return the ports by name."""
        sockets = {"api": self.api, "cfn": self.cfn, "devcloud": self.devcloud}
        return {name: port_of(each) for name, each in sockets.items() if each is not None}


def open_doors(options: ServeOptions, state: StateDirectory, stack: ExitStack) -> Doors:
    """Open the sockets; ``stack`` closes them. Raises Conflict when a port is taken."""
    last = remembered_ports(state)

    def opened(name: str, port: int, option: str) -> socket.socket:
        listening = listen(port, option=option, remembered=last.get(name, 0))
        return stack.enter_context(closing(listening))

    embedded = options.cloud is None
    doors = Doors(
        api=opened("api", options.port, "--port"),
        cfn=opened("cfn", options.cfn_port, "--cfn-port"),
        devcloud=opened("devcloud", options.devcloud_port, "--devcloud-port") if embedded else None,
    )
    remember_ports(state, doors.ports())
    return doors
