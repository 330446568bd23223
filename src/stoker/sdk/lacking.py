"""Resource types that Heat has, of services for which there are none here.

Rule: such a template is not wrong; it is told which service it lacks, in the words that clients
look for.
"""

from __future__ import annotations

from typing import Final

_SERVICES: Final = {
    "OS::Barbican": "barbican",
    "OS::Blazar": "blazar",
    "OS::Designate": "designate",
    "OS::Ironic": "ironic",
    "OS::Magnum": "magnum",
    "OS::Manila": "manila",
    "OS::Mistral": "mistral",
    "OS::Octavia": "octavia",
    "OS::Swift": "swift",
    "OS::Trove": "trove",
    "OS::Vitrage": "vitrage",
    "OS::Zaqar": "zaqar",
    "OS::Zun": "zun",
}
_CODE: Final = "HEAT-E99001"


def lacking(type_name: str) -> str | None:
    """Return what is told of a type of a service that has none here; None: it is not one."""
    service = _SERVICES.get(type_name.rpartition("::")[0])
    if service is None:
        return None
    return (
        f"{_CODE} Service {service} is not available for resource type {type_name},"
        " reason: there are no types of that service here yet"
    )
