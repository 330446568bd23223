"""What a deploy would do, as the service tells it.

Rule: pure but for the answer; the service decides what changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.cli.codes import DONE
from stoker.cli.screen import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stoker.cli.answer import Answer

KINDS = (
    ("deleted", "-", "red"),
    ("replaced", "±", "yellow"),
    ("updated", "~", "yellow"),
    ("added", "+", "green"),
    ("unchanged", "=", "dim"),
)


def preview(changes: Mapping[str, Any], answer: Answer) -> int:
    """Show resources by what becomes of them; return the exit code."""
    found = {kind: list(_flat(changes.get(kind) or ())) for kind, _, _ in KINDS}
    answer.columns(
        [
            (style, (f"  {sign}", _path(row), short(str(row["resource_type"])), kind))
            for kind, sign, style in KINDS
            for row in found[kind]
        ]
    )
    answer.say(", ".join(f"{len(rows)} {kind}" for kind, rows in found.items()), "bold")
    answer.give(
        {
            kind: [{"path": _path(row), "type": row["resource_type"]} for row in rows]
            for kind, rows in found.items()
        }
    )
    return DONE


def _flat(rows: Any) -> Iterator[Mapping[str, Any]]:
    """Yield resources; those of a nested stack are a list in the list."""
    for row in rows:
        if isinstance(row, list):
            yield from _flat(row)
        else:
            yield row


def _path(row: Mapping[str, Any]) -> str:
    parent = row.get("parent_resource")
    return f"{parent}.{row['resource_name']}" if parent else str(row["resource_name"])
