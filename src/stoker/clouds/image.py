"""Glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from stoker.clouds.rest import Rest, by_id_or_name, existing, segment

_PATCH: Final = {"Content-Type": "application/openstack-images-v2.1-json-patch"}


class Image(Rest):
    """Glance v2."""

    service = "image"
    version = "v2"

    def patch(self, path: str, changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the answer to a change by JSON patch."""
        return self._changed("PATCH", path, changes, _PATCH)

    def _found(self, kind: str, name_or_id: str) -> str:
        return by_id_or_name(kind, name_or_id, self._by_id(name_or_id), self._by_name(name_or_id))

    def _by_id(self, id: str) -> Iterator[str]:
        shown = existing(lambda: self.get(f"/images/{segment(id)}"))
        if shown is not None:
            yield str(shown["id"])

    def _by_name(self, name: str) -> Iterator[str]:
        yield from (str(row["id"]) for row in self.get("/images", name=name)["images"])
