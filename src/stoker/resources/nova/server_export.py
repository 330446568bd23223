"""What an export says of a server's own ports: in our words, and in Heat's (``internal_ports``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_HEATS: Final = "internal_ports"
_OURS: Final = "ports"


def stored(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a server, from an export of Heat's or ours."""
    kept = {key: value for key, value in data.items() if key != _HEATS}
    if _OURS in kept or not data.get(_HEATS):
        return kept
    ports = data[_HEATS]
    rows = json.loads(ports) if isinstance(ports, str) else ports
    return {**kept, _OURS: {str(i): row["id"] for i, row in enumerate(rows)}}


def told(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an export says of a server."""
    ports = data.get(_OURS)
    if not ports:
        return {key: value for key, value in data.items() if key != _OURS}
    rows = [{"id": port} for _, port in sorted(ports.items(), key=lambda item: int(item[0]))]
    return {**data, _HEATS: json.dumps(rows)}
