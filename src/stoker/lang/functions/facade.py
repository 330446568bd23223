"""resource_facade: what the parent says of the resource that this nested stack stands for."""

from __future__ import annotations

from typing import Any, Final

from stoker.lang.functions.arguments import shown, wrong
from stoker.lang.functions.registry import Scope, function

PARTS: Final = ("metadata", "deletion_policy", "update_policy")


def _late(scope: Scope, args: Any) -> tuple[str, Any]:
    raise wrong("the part's name must be known before any resource is made")


@function(
    "resource_facade", f"resource_facade: one of {', '.join(PARTS)}", since="2013-05-23",
    scoped=True, late=_late,
)  # fmt: skip
def resource_facade(scope: Scope, args: Any) -> Any:
    """Return the parent's metadata or policy."""
    if args not in PARTS:
        raise wrong(f"this does not know {shown(args)}")
    return scope.facade(args)
