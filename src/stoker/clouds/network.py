"""Neutron. Kinds are the singular body keys; the paths follow from them, with exceptions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from stoker.clouds.rest import NAME_SECONDS, Rest, by_id_or_name, looks_like_id

_PATHS: Final[Mapping[str, str]] = {
    "qos_policy": "/qos/policies",
    "policy": "/qos/policies",
    "rbac_policy": "/rbac-policies",
}
_KEYS: Final[Mapping[str, tuple[str, str]]] = {
    "qos_policy": ("policy", "policies"),
    "policy": ("policy", "policies"),
    "rbac_policy": ("rbac_policy", "rbac_policies"),
}
_RUN_TOGETHER: Final = frozenset({"floatingip", "subnetpool"})
_SEEN_SECONDS: Final = 30.0
_EXTENSIONS_SECONDS: Final = 3600.0
_AT_ONCE: Final = 40  # ids in one URL


def collection(kind: str) -> str:
    """Return the path of a kind's collection: ``/security-groups``."""
    return _PATHS.get(kind) or f"/{kind.replace('_', '-')}s"


def _keys(kind: str) -> tuple[str, str]:
    return _KEYS.get(kind) or (kind, f"{kind}s")


class Network(Rest):
    """Neutron v2.0."""

    service = "network"
    version = "v2.0"

    def create(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make an object; return it as the service shows it."""
        key, _ = _keys(kind)
        made: dict[str, Any] = self.post(collection(kind), {key: body})[key]
        id = str(made["id"])  # soon asked for by whatever is to have it
        self._connection.memory.keep((self.service, kind, id), id, NAME_SECONDS)
        return made

    def show(self, kind: str, id: str) -> dict[str, Any]:
        """Return an object; raises CloudNotFound."""
        shown: dict[str, Any] = self.get(f"{collection(kind)}/{id}")[_keys(kind)[0]]
        return shown

    def update(self, kind: str, id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Change an object; return it as the service shows it."""
        key, _ = _keys(kind)
        changed: dict[str, Any] = self.put(f"{collection(kind)}/{id}", {key: body})[key]
        return changed

    def delete(self, kind: str, id: str) -> None:
        """Remove an object; raises CloudNotFound where it is gone already."""
        self._connection.memory.forget((self.service, kind, id))
        self.remove(f"{collection(kind)}/{id}")

    def list(self, kind: str, **filters: Any) -> Sequence[dict[str, Any]]:
        """Return the objects that match; a list as a filter means any of its values."""
        _, key = _keys(kind)
        found: list[dict[str, Any]] = []
        more: dict[str, Any] = {}
        while True:
            page = self.get(collection(kind), **filters, **more)
            found += page[key]
            if not page[key] or not _has_next(page.get(f"{key}_links", ())):
                return found
            more = {"marker": page[key][-1]["id"]}

    def set_tags(self, kind: str, id: str, tags: Sequence[str]) -> None:
        """Make these the object's tags."""
        self.put(f"{collection(kind)}/{id}/tags", {"tags": [*tags]})

    def seen(self, kind: str, id: str) -> dict[str, Any]:
        """Return an object as it was at most half a minute ago."""
        ask = partial(self.show, kind, id)
        return self._connection.learnt(("seen", kind, id), _SEEN_SECONDS, self._since, ask)

    def has_extension(self, alias: str) -> bool:
        """Tell whether the service has an extension."""
        known: frozenset[str] | None = self._connection.shared.get("extensions")
        if known is None:
            known = frozenset(each["alias"] for each in self.get("/extensions")["extensions"])
            self._connection.shared.keep("extensions", known, _EXTENSIONS_SECONDS)
        return alias in known

    def warm(self, kind: str, names: Iterable[str]) -> None:
        """Learn the ids of many at once."""
        names = list(names)
        ids = [name for name in names if looks_like_id(name)]
        self._learn(kind, "id", ids)
        self._learn(kind, "name", [name for name in names if name not in set(ids)])

    def _learn(self, kind: str, field: str, values: Sequence[str]) -> None:
        for some in _chunks(values):
            begun = time.monotonic()
            rows = self.list(kind, fields=("id", "name"), **{field: some})
            names = [str(row[field]) for row in rows]
            for name, row in zip(names, rows, strict=True):
                if names.count(name) == 1:
                    key = (self.service, kind, name)
                    self._connection.memory.keep(key, str(row["id"]), NAME_SECONDS, begun)

    def _found(self, kind: str, name_or_id: str) -> str:
        return by_id_or_name(
            kind, name_or_id, self._ids(kind, id=name_or_id), self._ids(kind, name=name_or_id)
        )

    def _ids(self, kind: str, **filters: str) -> Iterator[str]:
        yield from (str(row["id"]) for row in self.list(kind, fields="id", **filters))


def _has_next(links: Iterable[Mapping[str, str]]) -> bool:
    return any(link.get("rel") == "next" for link in links)


def _chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
