"""A stack's name for the CloudFormation API: ``arn:openstack:heat::PROJECT:stacks/NAME/ID``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stoker.usecases.stacks import StackRef

_SHAPE = re.compile(
    r"arn:openstack:heat::(?P<project>[^:/]+):stacks/(?P<name>[^/]+)/(?P<id>[^/]+)(?P<below>/.*)?"
)
_RESOURCE = re.compile(r"/resources/([^/]+)")


@dataclass(frozen=True, slots=True)
class Arn:
    """What an ARN names: a stack, or what is ``below`` it (a path)."""

    stack: StackRef
    below: str = ""

    @property
    def resource(self) -> str | None:
        """The resource that it names, if it names one."""
        found = _RESOURCE.fullmatch(self.below)
        return None if found is None else found[1]


def arn(stack: StackRef) -> str:
    """Return the ARN of a stack."""
    return f"arn:openstack:heat::{stack.project_id}:stacks/{stack.name}/{stack.id}"


def parsed(text: str) -> Arn | None:
    """Return what the ARN names, None where the text is none."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    stack = StackRef(id=found["id"], name=found["name"], project_id=found["project"])
    return Arn(stack, found["below"] or "")
