"""Where in a tree of stacks a row of the API belongs: read from its links.

Rule: pure. The API lists a tree flat; a row's link ``stack`` names the stack that it is in, and
``nested`` the stack that it has made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Key = tuple[str, ...]
Row = Mapping[str, Any]


def linked(row: Row, relation: str) -> str:
    """Return the id of the stack that a link leads to; "" without such a link."""
    for link in row.get("links") or ():
        if link.get("rel") == relation:
            return str(link.get("href", "")).rstrip("/").rpartition("/")[2]
    return ""


def homes(rows: Iterable[Row]) -> dict[str, Key]:
    """Return the key of the resource that each nested stack belongs to, by the stack's id."""
    owners = {
        nested: (linked(row, "stack"), str(row["resource_name"]))
        for row in rows
        if (nested := linked(row, "nested"))
    }
    return {id: _home(id, owners) for id in owners}


def _home(id: str, owners: Mapping[str, tuple[str, str]]) -> Key:
    names: list[str] = []
    seen: set[str] = set()
    while id in owners and id not in seen:
        seen.add(id)
        id, name = owners[id]
        names.append(name)
    return tuple(reversed(names))


def key_of(row: Row, known: Mapping[str, Key]) -> Key:
    """Return the row's key; ``known`` has those of nested stacks."""
    name = str(row["resource_name"])
    home = known.get(linked(row, "stack"))
    if home is None:
        parent = row.get("parent_resource")
        home = (str(parent),) if parent else ()
    return (*home, name)
