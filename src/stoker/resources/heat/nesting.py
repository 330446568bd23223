"""What the types with a child stack share: asking for it, and templates made of plain data.

Rule: a value that was evaluated once is never evaluated again; where it looks like a call,
it reaches the child as (part of) a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stoker.errors import Bug
from stoker.lang.functions.registry import value_functions
from stoker.lang.unknown import UNKNOWN
from stoker.lang.wording import OWN
from stoker.sdk.resource import At, Child, ChildGone, Done, Step, View, Walked

VERSION: Final = "2021-04-16"
_PARAMETER: Final = "literals"
RESOURCE: Final = "resource."


def gone(at: At[Any]) -> Step:
    """Return the step that removes the child stack, and Done when there is none."""
    return Done() if at.id is None else ChildGone()


def goal(child: Child | None) -> Child:
    """Return the goal of a verb; by its turn every value is known."""
    if child is None:
        raise Bug("the goal of a child stack is asked for before its values are known")
    return child


def inner(view: View, name: str, path: tuple[Any, ...]) -> Walked:
    """Return what ``resource.<member>[.<attribute>]`` names: a reference or an attribute."""
    member_name, _, attribute = name.removeprefix(RESOURCE).partition(".")
    member = view.members.get(member_name)
    if member is None:
        return Walked(None)
    walk = (attribute, *path) if attribute else path
    return Walked(member.attribute(str(walk[0]), walk[1:]) if walk else member.reference())


def of_members(view: View, name: str, path: tuple[Any, ...]) -> Any:
    """Return an attribute of a type whose child holds members that are alike.

    ``refs`` and ``attributes`` are of all of them, ``resource.<member>`` of one; any other
    name gives the list of the members' attributes of that name.
    """
    members = view.members
    if name.startswith(RESOURCE):
        return inner(view, name, path)
    if name == "refs":
        return [member.reference() for member in members.values()]
    if name != "attributes":
        return Walked([member.attribute(name, path) for member in members.values()])
    if not path:
        return None
    return Walked({key: m.attribute(str(path[0]), path[1:]) for key, m in members.items()})


def members_template(members: Mapping[str, Any], **sections: Any) -> Child:
    """Return the child stack that has these members, told in plain data, and other sections."""
    literals = Literals()
    resources = {name: literals.quote(each) for name, each in members.items()}
    template = {
        "heat_template_version": VERSION,
        **literals.declarations(),
        "resources": resources,
        **sections,
    }
    return Child(template, literals.parameters())


def members_below(at: At[Any]) -> dict[str, Any]:
    """Return, in plain data, the members that the child stack is to have as yet."""
    below = at.below()
    if below is None or not isinstance(below.template, Mapping):
        return {}
    members = below.template.get("resources") or {}
    return {name: Literals.meant(each, below.parameters) for name, each in members.items()}


@dataclass
class Literals:
    """Plain data on its way into a template; what looks like a call is put aside."""

    aside: dict[str, Any] = field(default_factory=dict)

    def quote(self, value: Any) -> Any:
        """Return ``value`` such that a template that holds it means just that."""
        if value is UNKNOWN:
            return self._put_aside(value)
        if isinstance(value, Mapping):
            if len(value) == 1 and next(iter(value)) in value_functions(VERSION):
                return self._put_aside(value)
            return {key: self.quote(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.quote(each) for each in value]
        return value

    def _put_aside(self, value: Any) -> Any:
        key = str(len(self.aside))
        self.aside[key] = value
        return {"get_param": [_PARAMETER, key]}

    def parameters(self) -> dict[str, Any]:
        """Return the values for the child's parameters."""
        return {_PARAMETER: self.aside} if self.aside else {}

    @staticmethod
    def meant(value: Any, parameters: Mapping[str, Any]) -> Any:
        """Return what was quoted, from a template and the parameters that came with it."""
        match value:
            case {"get_param": [name, key]} if name == _PARAMETER and len(value) == 1:
                return parameters[_PARAMETER][key]
            case Mapping():
                return {key: Literals.meant(each, parameters) for key, each in value.items()}
            case list():
                return [Literals.meant(each, parameters) for each in value]
        return value

    def declarations(self) -> dict[str, Any]:
        """Return the child's ``parameters`` section."""
        declared = {_PARAMETER: {"type": "json", "tags": [OWN]}}
        return {"parameters": declared} if self.aside else {}
