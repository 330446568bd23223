"""Nova, at the highest microversion that both sides know.

2.90 is as far as we go: from 2.92 on Nova makes no key pair without a public key, which
Heat's OS::Nova::KeyPair is expected to do. Calls that need an older one say so
(``personality`` is gone from 2.57 on).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from stoker.clouds.rest import Rest, by_id_or_name, existing, segment

NEWEST: Final = (2, 90)
_SECONDS: Final = 3600.0
_PAGE: Final = 1000
_VERSIONS: Final = "/"


class Compute(Rest):
    """Nova v2.1."""

    service = "compute"
    version = "v2.1"

    def headers(self, path: str) -> dict[str, str]:
        """Return the headers that name the microversion (the versions themselves need none)."""
        return super().headers(path) if path == _VERSIONS else _at(self.microversion())

    def post_at(self, microversion: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a POST at this microversion."""
        return self._changed("POST", path, body, headers=_at(microversion))

    def zones(self) -> tuple[str, ...]:
        """Return the names of the availability zones."""
        rows = self.get("/os-availability-zone")["availabilityZoneInfo"]
        return tuple(str(row["zoneName"]) for row in rows)

    def microversion(self) -> str:
        """Return the microversion that calls are made at."""
        known: str | None = self._connection.shared.get("microversion")
        if known is None:
            known = self._negotiated()
            self._connection.shared.keep("microversion", known, _SECONDS)
        return known

    def _negotiated(self) -> str:
        shown = self.get(_VERSIONS).get("version", {})
        newest = tuple(int(part) for part in (shown.get("version") or "2.1").split("."))
        return ".".join(map(str, min(newest, NEWEST)))

    def _found(self, kind: str, name_or_id: str) -> str:
        if kind == "keypair":
            path = f"/os-keypairs/{segment(name_or_id)}"
            shown = existing(lambda: self.get(path))
            return by_id_or_name(kind, name_or_id, (), [name_or_id] if shown else [])
        return by_id_or_name(
            kind, name_or_id, self._by_id(kind, name_or_id), self._by_name(kind, name_or_id)
        )

    def _by_id(self, kind: str, id: str) -> Iterator[str]:
        shown = existing(lambda: self.get(f"/{kind}s/{segment(id)}"))
        if shown is not None:
            yield str(shown[kind]["id"])

    def _by_name(self, kind: str, name: str) -> Iterator[str]:
        marker: str | None = None
        exact = {"name": f"^{name}$"} if kind == "server" else {}
        while True:
            rows = self.get(f"/{kind}s", limit=_PAGE, marker=marker, **exact)[f"{kind}s"]
            yield from (str(row["id"]) for row in rows if row["name"] == name)
            if len(rows) < _PAGE:
                return
            marker = rows[-1]["id"]


def _at(microversion: str) -> dict[str, str]:
    return {
        "Accept": "application/json",
        "OpenStack-API-Version": f"compute {microversion}",
        "X-OpenStack-Nova-API-Version": microversion,
    }
