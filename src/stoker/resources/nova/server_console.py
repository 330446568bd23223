"""The consoles of a server, whose addresses last for minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stoker.errors import CloudError

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud

PROTOCOLS: Final = {
    "novnc": "vnc",
    "xvpvnc": "vnc",
    "spice-html5": "spice",
    "rdp-html5": "rdp",
    "serial": "serial",
    "webmks": "mks",
}
"""By type of console, what Nova's ``remote-consoles`` wants beside it."""

_NOT_HAD: Final = frozenset({400, 404, 409, 501})


def url(server_id: str, type: str, cloud: Cloud) -> str:
    """Return the address of a console; raises CloudError where the server has none of the type."""
    wanted = {"type": type, "protocol": PROTOCOLS.get(type, type)}
    body = {"remote_console": wanted}
    answer = cloud.compute.post(f"/servers/{server_id}/remote-consoles", body)
    return str(answer["remote_console"]["url"])


def urls(server_id: str, cloud: Cloud) -> dict[str, str]:
    """Return the addresses of the consoles that the server has, by type."""
    found = {}
    for type in PROTOCOLS:
        try:
            found[type] = url(server_id, type, cloud)
        except CloudError as error:
            if error.status not in _NOT_HAD:
                raise
    return found
