"""From a stack's name, id or ARN to its full address: a redirection for every verb.

The client repeats its request there, so that nothing is done here and a body is not read.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from stoker.api import arn
from stoker.api.faults import found
from stoker.api.policy import stack_user
from stoker.api.route import Route
from stoker.api.v1.path import STACKS

if TYPE_CHECKING:
    from stoker.api.reply import Reply
    from stoker.api.route import Ask

ARN_PATH = re.compile(rf"{STACKS.replace('{project}', '(?P<project>[^/]+)')}/(?P<name>arn:.+)")
"""A path with an ARN, whose slashes make it match no route."""

_LOOKUP = stack_user("stacks:lookup")
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_BELOW = {
    "GET": ("resources", "events", "template", "actions", "environment", "files"),
    "POST": ("resources", "events", "template", "actions"),
}


def find(ask: Ask, *, name: str | None = None, below: str = "") -> Reply:
    """Redirect to the stack, or to what is ``below`` it."""
    wanted = name or ask.path["name"]
    named = arn.parsed(wanted)
    if named is None:
        stack = ask.stacks.locate(ask.caller, wanted)
    else:
        stack, below = named.stack, named.below or below
    query = f"?{ask.query.text}" if ask.query.text else ""
    return found(f"{ask.link.stack(stack)}{ask.link.tail(below)}{query}")


ARN_ROUTES = {verb: Route(verb, "", find, _LOOKUP) for verb in _VERBS}
ROUTES = (
    *(Route(verb, f"{STACKS}/{{name}}", find, _LOOKUP) for verb in _VERBS),
    *(
        Route(verb, f"{STACKS}/{{name}}/{part}", partial(find, below=f"/{part}"), _LOOKUP)
        for verb, parts in _BELOW.items()
        for part in parts
    ),
    # Stacks may bear the names of the two paths that stand beside them.
    *(
        Route(verb, f"{STACKS}/{name}", partial(find, name=name), _LOOKUP)
        for name, taken in (("preview", "POST"), ("detail", "GET"))
        for verb in _VERBS
        if verb != taken
    ),
)
