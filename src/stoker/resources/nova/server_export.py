"""What an export says of a server's own ports: in our words, and in Heat's (``internal_ports``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import Invalid, bad_request

_HEATS: Final = "internal_ports"
_OURS: Final = "ports"


def stored(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a server, from an export of Heat's or ours; raises Invalid."""
    kept = {key: value for key, value in data.items() if key != _HEATS}
    if _OURS not in kept and data.get(_HEATS):
        kept[_OURS] = _numbered(data[_HEATS])
    ports = kept.get(_OURS, {})
    if not isinstance(ports, Mapping) or not all(isinstance(x, str) for x in ports.values()):
        raise _unfit(_OURS)
    return kept


def _numbered(ports: Any) -> dict[str, str]:
    try:
        rows = json.loads(ports) if isinstance(ports, str) else ports
        return {str(i): row["id"] for i, row in enumerate(rows)}
    except (TypeError, ValueError, KeyError) as e:
        raise _unfit(_HEATS) from e


def _unfit(key: str) -> Invalid:
    return bad_request(f"Invalid adopt data: {key!r} does not tell of ports")


def told(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an export says of a server."""
    ports = data.get(_OURS)
    if not ports:
        return {key: value for key, value in data.items() if key != _OURS}
    rows = [{"id": port} for _, port in sorted(ports.items(), key=lambda item: int(item[0]))]
    return {**data, _HEATS: json.dumps(rows)}
