"""Who asks in these tests, and how stacks and outputs are named."""

from __future__ import annotations

from typing import Any

from stoker.lang.expression import dump
from stoker.lang.syntax import Call
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import StackRef

ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))
BOB = Caller("u2", "bob", "p2", "other", frozenset({"member"}))
ROOT = Caller("u0", "root", "p0", "admin", frozenset({"admin"}), is_admin=True)
GUEST = Caller("u9", "guest", "users-of-s", "", frozenset({"heat_stack_user"}))

VERSION = "2018-08-31"


def get_attr(*args: Any) -> Any:
    return dump(Call("get_attr", list(args), VERSION))


def output(name: str, value: Any, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "value": value, "error": None}


def s(stack_id: str, name: str = "s", project: str = "p1") -> StackRef:
    return StackRef(stack_id, name, project)
