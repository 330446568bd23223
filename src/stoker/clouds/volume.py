"""Cinder, at the highest microversion that both sides know.

3.70 is as far as we go; 3.42 (extending what is in use) and 3.47 (a volume of a backup) are
what the resource types build upon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from keystoneauth1 import exceptions as keystone

from stoker.clouds.errors import unanswered
from stoker.clouds.rest import Rest, by_id_or_name, existing, segment
from stoker.errors import CloudError

_KINDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "volume": ("/volumes", "volume", "volumes"),
    "snapshot": ("/snapshots", "snapshot", "snapshots"),
    "backup": ("/backups", "backup", "backups"),
    "vtype": ("/types", "volume_type", "volume_types"),
    "qos_specs": ("/qos-specs", "qos_specs", "qos_specs"),
}
_ALSO: Final[Mapping[str, Mapping[str, str]]] = {"vtype": {"is_public": "none"}}
"""What a list is asked besides: administrators see private types only when they ask."""

NEWEST: Final = (3, 70)
OLDEST: Final = (3, 0)
_SECONDS: Final = 3600.0
_AWAY: Final = 503


class Volume(Rest):
    """Cinder v3."""

    service = "block-storage"
    version = "v3"

    def headers(self, path: str) -> dict[str, str]:
        """Return the headers that name the microversion."""
        return {
            **super().headers(path),
            "OpenStack-API-Version": f"volume {self.microversion()}",
        }

    def microversion(self) -> str:
        """Return the microversion that calls are made at."""
        known: str | None = self._connection.shared.get("volume microversion")
        if known is None:
            known = ".".join(map(str, min(self._newest_there(), NEWEST)))
            self._connection.shared.keep("volume microversion", known, _SECONDS)
        return known

    def _newest_there(self) -> tuple[int, ...]:
        connection = self._connection
        try:
            data = connection.auth.get_endpoint_data(
                connection.session,
                service_type=self.service,
                interface=connection.interface,
                region_name=connection.region,
            )
        except keystone.ClientException as e:
            raise unanswered(self.service, e) from e
        if data is None or data.status is None:  # no document came: it is no old Cinder for that
            text = "Cinder does not tell its versions now"
            raise CloudError(text, service=self.service, status=_AWAY, sent=False)
        newest = data.max_microversion
        return tuple(map(int, newest)) if newest else OLDEST

    def _found(self, kind: str, name_or_id: str) -> str:
        return by_id_or_name(
            kind, name_or_id, self._by_id(kind, name_or_id), self._by_name(kind, name_or_id)
        )

    def _by_id(self, kind: str, id: str) -> Iterator[str]:
        path, key, _ = _KINDS[kind]
        shown = existing(lambda: self.get(f"{path}/{segment(id)}"))
        if shown is not None:
            yield str(shown[key]["id"])

    def _by_name(self, kind: str, name: str) -> Iterator[str]:
        path, _, key = _KINDS[kind]
        rows = self.get(path, name=name, **_ALSO.get(kind, {}))[key]
        yield from (str(row["id"]) for row in rows if row["name"] == name)
