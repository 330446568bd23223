"""get_file: the text of a file that came with the request."""

from __future__ import annotations

from typing import Any

from stoker.lang.functions.arguments import text, wrong
from stoker.lang.functions.registry import Scope, function


def _late(scope: Scope, args: Any) -> tuple[str, Any]:
    raise wrong("the file's name must be known before any resource is made")


@function("get_file", "get_file: name", since="2013-05-23", scoped=True, late=_late)
def get_file(scope: Scope, args: Any) -> Any:
    """A function for including a file inline."""
    return scope.file(text(args, "the file's name"))
