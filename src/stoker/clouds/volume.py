"""Cinder: what must exist, for servers that are given volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from stoker.clouds.rest import Rest, by_id_or_name, existing, segment

_KINDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "volume": ("/volumes", "volume", "volumes"),
    "snapshot": ("/snapshots", "snapshot", "snapshots"),
    "backup": ("/backups", "backup", "backups"),
    "vtype": ("/types", "volume_type", "volume_types"),
    "qos_specs": ("/qos-specs", "qos_specs", "qos_specs"),
}


class Volume(Rest):
    """Cinder v3."""

    service = "block-storage"
    version = "v3"

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
        rows = self.get(path, name=name)[key]
        yield from (str(row["id"]) for row in rows if row["name"] == name)
